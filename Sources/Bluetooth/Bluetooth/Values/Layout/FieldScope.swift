// The fields that expressions of a description may name while a value is decoded or encoded.

/// The fields of one layout so far, and those of the layouts around it.
///
/// It lives as long as one value is decoded or encoded.
final class FieldScope {
  private let outer: FieldScope?
  private var fields: [DecodedValue.Field] = []
  private var places: [(name: String, octets: Range<Int>)] = []
  /// All octets of the value, for `record`.
  private var own: [UInt8] = []

  /// The name of the whole value in expressions.
  static let record = "record"

  init(inside outer: FieldScope?) { self.outer = outer }

  var record: [UInt8] {
    get { outer?.record ?? own }
    set { if let outer { outer.record = newValue } else { own = newValue } }
  }

  /// Adds a field that was decoded or encoded.
  func add(_ field: DecodedValue.Field, _ octets: Range<Int>) {
    fields.append(field)
    places.append((field.name, octets))
  }

  /// Moves the octets of fields from `start` on to `target`.
  ///
  /// - Parameter inner: Scopes of groups that move with them.
  func move(from start: Int, to target: Int, with inner: [FieldScope]) {
    var moved: [FieldScope] = []
    for scope in [self] + inner {
      var next: FieldScope? = scope
      while let scope = next, !moved.contains(where: { $0 === scope }) {
        scope.moveOwn(from: start, to: target)
        moved.append(scope)
        next = scope === self ? nil : scope.outer
      }
    }
  }

  private func moveOwn(from start: Int, to target: Int) {
    for index in places.indices where places[index].octets.lowerBound >= start {
      let (low, high) = (places[index].octets.lowerBound, places[index].octets.upperBound)
      places[index].octets = low - start + target..<high - start + target
    }
  }

  /// The value of a field by its path; the nearest field with the name counts.
  func value(_ path: [String]) -> DecodedValue? {
    guard let first = path.first else { return nil }
    guard let field = fields.last(where: { $0.name == first }) else {
      if let outer { return outer.value(path) }
      return path == [Self.record] ? .octets(record) : nil
    }
    var value = field.value
    for name in path.dropFirst() {
      guard let inner = value[name] else { return nil }
      value = inner
    }
    return value
  }

  /// The octets of a field.
  func octets(of name: String) -> Range<Int>? {
    places.last { $0.name == name }?.octets ?? outer?.octets(of: name)
  }
}

/// An expression whose names are those of fields.
struct FieldExpression: Hashable, Sendable {
  let expression: Expression
  /// The names of enumerations, by the index of the name in the expression, that are calculated
  /// with as numbers.
  let numbers: [Int: Names]

  /// Whether it mentions a field whose number is not known yet.
  func mentions(_ name: String) -> Bool { expression.names.contains { $0.path == [name] } }

  /// Whether it needs the whole value.
  var isOfRecord: Bool { expression.names.contains { $0.path[0] == FieldScope.record } }

  func value(in scope: FieldScope) throws(ExpressionFailure) -> DecodedValue {
    try expression.value { find($0, scope) }
  }

  func holds(in scope: FieldScope) throws(ExpressionFailure) -> Bool {
    try expression.holds { find($0, scope) }
  }

  private func find(_ name: Expression.Name, _ scope: FieldScope) -> DecodedValue? {
    guard let value = scope.value(name.path) else { return nil }
    guard let names = numbers[name.index], case .text(let text) = value,
      let number = names.number(text)
    else { return value }
    return .integer(Int128(number))
  }

  /// A whole number that is a count or a length.
  func count(in scope: FieldScope, _ field: String, at octet: Int) throws(ValueError) -> Int {
    let result: DecodedValue
    do {
      result = try value(in: scope)
    } catch {
      throw ValueError(field: field, octet: octet, problem: "\(error)")
    }
    guard case .integer(let number) = result, (0...0xffff).contains(number) else {
      throw ValueError(
        field: field, octet: octet, problem: "'\(expression)' is \(result)", isOutOfRange: true
      )
    }
    return Int(number)
  }

  static func == (a: FieldExpression, b: FieldExpression) -> Bool { a.expression == b.expression }

  func hash(into hasher: inout Hasher) { hasher.combine(expression) }
}

/// The condition of a field in a description: all of its terms hold.
struct FieldCondition: Hashable, Sendable {
  enum Term: Hashable, Sendable {
    case holds(FieldExpression)
    /// The case of a choice: the selector is one of these.
    case selects(FieldExpression, [CaseKey])
    /// The rest of a choice: the selector is none of these.
    case selectsNone(FieldExpression, [CaseKey])
  }

  /// A value of a selector.
  enum CaseKey: Hashable, Sendable {
    case numbers(ClosedRange<Int128>)
    case text(String)

    func matches(_ value: DecodedValue) -> Bool {
      switch (self, value) {
      case (.numbers(let range), .integer(let number)): range.contains(number)
      case (.numbers(let range), .boolean(let truth)): range.contains(truth ? 1 : 0)
      case (.text(let text), _): value.description == text
      case (.numbers, _): false
      }
    }
  }

  var terms: [Term] = []
  /// Whether the field is left out where no octets are left.
  var isOptional = false

  /// Whether it needs the whole value.
  var isOfRecord: Bool {
    terms.contains { term in
      switch term {
      case .holds(let expression), .selects(let expression, _), .selectsNone(let expression, _):
        expression.isOfRecord
      }
    }
  }

  /// A term whose selector has no value, because its field is absent, does not hold.
  func holds(in scope: FieldScope, remaining: Int) -> Bool {
    if isOptional, remaining == 0 { return false }
    return terms.allSatisfy { term in
      switch term {
      case .holds(let expression): (try? expression.holds(in: scope)) ?? false
      case .selects(let selector, let keys):
        (try? selector.value(in: scope)).map { value in keys.contains { $0.matches(value) } }
          ?? false
      case .selectsNone(let selector, let keys):
        (try? selector.value(in: scope)).map { value in !keys.contains { $0.matches(value) } }
          ?? false
      }
    }
  }
}

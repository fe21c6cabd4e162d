// Encodes a value of a description.
//
// Standard values, in which one word of flags decides, are encoded by ValueLayout.

import Spelling

/// A part that is computed from the other octets.
struct PendingPart {
  let field: String
  let format: FieldFormat
  let computation: ValuePart.Computation
  var position: Int
  /// The number of octets that are kept for it.
  let size: Int
  let scope: FieldScope
}

extension ValuePart.Padding {
  /// The number of octets.
  ///
  /// - Parameters:
  ///   - offset: The number of octets of the layout before it.
  ///   - rest: The number of octets behind it; 0 where none are known.
  func count(at offset: Int, _ rest: Int) -> Int {
    switch self {
    case .octets(let count): count
    case .to(let end): max(0, end - offset)
    case .end: rest
    }
  }
}

extension ValuePart.Computation {
  /// The octets that a field must have.
  ///
  /// - Parameter octets: The octets of the whole value.
  func octets(
    _ format: FieldFormat, _ field: String, _ octets: [UInt8], at start: Int, _ scope: FieldScope
  ) throws(ValueError) -> [UInt8] {
    let value: DecodedValue
    switch self {
    case .value(let expression):
      do {
        value = try expression.value(in: scope)
      } catch {
        throw ValueError(field: field, octet: start, problem: "\(error)", isOutOfRange: true)
      }
    case .checksum(let checksum, let over):
      let places = over.compactMap { scope.octets(of: $0) }
      let first = places.map(\.lowerBound).min() ?? 0
      let end = places.map(\.upperBound).max() ?? start
      value = .integer(Int128(checksum.value(of: octets[first..<end])))
    }
    var writer = OctetWriter()
    try format.write(value, &writer, field, scope)
    return writer.octets
  }
}

extension OctetWriter {
  /// The octets with those that are computed: lengths first, then the checksums over them.
  mutating func settled(_ scope: FieldScope) throws(ValueError) -> [UInt8] {
    let (values, checksums) = (
      pending.filter { if case .value = $0.computation { true } else { false } },
      pending.filter { if case .checksum = $0.computation { true } else { false } }
    )
    for part in values + checksums {
      scope.record = octets
      let computed = try part.computation.octets(
        part.format, part.field, octets, at: part.position, part.scope
      )
      guard computed.count == part.size else {
        let problem = ValueError.length(part.size, found: computed.count)
        throw ValueError(field: part.field, octet: 0, problem: problem)
      }
      replace(at: part.position, with: computed)
    }
    return octets
  }
}

extension ValueLayout {
  /// Appends the octets of a value.
  ///
  /// Left out may be what follows from the rest: constants, computed fields, padding, the length or
  /// the number of a later field, optional fields, and flags that only say which fields are sent.
  ///
  /// - Throws: ``ValueError`` for a field that is missing, unknown, not of its format, or that
  ///   cannot be sent with the others.
  func write(
    _ value: DecodedValue, _ writer: inout OctetWriter, _ scope: FieldScope
  ) throws(ValueError) {
    var record = RecordWriting(self, fields(of: value), scope)
    try record.checkNames()
    try record.write(&writer)
  }
}

/// The fields of one layout while they are encoded.
private struct RecordWriting {
  private let layout: ValueLayout
  private let given: [DecodedValue.Field]
  private let scope: FieldScope
  private var sent: Set<String> = []
  /// The lengths and numbers of later fields that are not known yet, and where they are.
  private var counts: [(name: String, number: WireNumber, position: Int)] = []

  init(_ layout: ValueLayout, _ given: [DecodedValue.Field], _ scope: FieldScope) {
    self.layout = layout
    self.given = given
    self.scope = scope
  }

  private func value(_ name: String) -> DecodedValue? { given.first { $0.name == name }?.value }

  func checkNames() throws(ValueError) {
    let names = layout.settableNames
    for field in given where !names.contains(field.name) && field.name != DecodedValue.further {
      throw ValueError.unknownField(field.name, of: layout.name, among: names)
    }
  }

  mutating func write(_ writer: inout OctetWriter) throws(ValueError) {
    let base = writer.octets.count
    // The place behind a part that was written over others; nil at the end.
    var cursor: Int?
    for (index, part) in layout.parts.enumerated() {
      guard part.presence.holds(0, remaining: .max, scope) else { continue }
      let target = part.offset.map { base + $0 } ?? cursor ?? writer.octets.count
      writer.append([UInt8](repeating: 0, count: max(0, target - writer.octets.count)))
      let start = writer.octets.count
      cursor = nil
      if case .padding(let padding) = part.kind, target < start {
        let end = target + padding.count(at: target - base, 0)
        writer.append([UInt8](repeating: 0, count: max(0, end - start)))
        cursor = end < start ? end : nil
        continue
      }
      switch part.kind {
      case .constant(let octets): writer.append(octets)
      case .padding(let padding):
        let count = padding.count(at: start - base, 0)
        writer.append([UInt8](repeating: 0, count: count))
      case .computed(let format, let computation):
        if let value = value(part.name) {
          try format.write(value, &writer, part.name, scope)
          note(part, format, value, start, writer)
        } else {
          try format.write(.integer(0), &writer, part.name, scope)
          scope.add(.init(part.name, .integer(0)), start..<writer.octets.count)
          let pending = PendingPart(
            field: part.name, format: format, computation: computation, position: start,
            size: writer.octets.count - start, scope: scope
          )
          writer.pending.append(pending)
        }
      case .noCase(let selector):
        let shown = try? selector.value(in: scope)
        throw problem(part.name, "no case for \(shown ?? .text("no value"))")
      case .field(let format):
        try field(part, format, at: index, &writer)
      // Only standard values have these.
      case .flags, .size, .selector, .flagged, .split, .unused, .checksum: break
      }
      if target < start {
        let end = target + writer.octets.count - start
        let inner = writer.pending.filter { $0.position >= start }.map(\.scope)
        writer.move(from: start, over: target)
        scope.move(from: start, to: target, with: inner)
        for index in counts.indices where counts[index].position >= start {
          counts[index].position -= start - target
        }
        cursor = end < writer.octets.count ? end : nil
      }
    }
    for field in given where !sent.contains(field.name) && field.name != DecodedValue.further {
      let isComputed = layout.parts.contains { part in
        if case .computed = part.kind { part.name == field.name } else { false }
      }
      if !isComputed { throw problem(field.name, "cannot be sent with the other fields") }
    }
    if let further = value(DecodedValue.further) {
      try FieldFormat.rest.write(further, &writer, DecodedValue.further)
    }
  }

  private mutating func field(
    _ part: ValuePart, _ format: FieldFormat, at index: Int, _ writer: inout OctetWriter
  ) throws(ValueError) {
    let start = writer.octets.count
    guard let value = completed(part, format) else {
      if case .when(let condition) = part.presence, condition.isOptional { return }
      if case .number(let number) = format, isCount(part.name, of: index) {
        writer.append(0, number)
        counts.append((part.name, number, start))
        sent.insert(part.name)
        return
      }
      throw problem(part.name, "missing")
    }
    sent.insert(part.name)
    if let (inner, count) = counted(format) {
      try inner.write(value, &writer, part.name, scope)
      let size: Int
      if case .repeated = format, let values = value.elements {
        size = values.count
      } else {
        size = writer.octets.count - start
      }
      try settle(count, size, &writer)
    } else {
      try format.write(value, &writer, part.name, scope)
    }
    let decoded = note(part, format, value, start, writer)
    try decoded.check(in: part.range, part.name, at: 0)
  }

  /// Adds a field to the scope as it will be decoded: a number that was given as a text is one.
  @discardableResult
  private func note(
    _ part: ValuePart, _ format: FieldFormat, _ value: DecodedValue, _ start: Int,
    _ writer: OctetWriter
  ) -> DecodedValue {
    var reader = OctetReader(writer.octets, start..<writer.octets.count)
    let decoded = (try? format.read(&reader, part.name, scope)) ?? value
    scope.add(.init(part.name, decoded), start..<writer.octets.count)
    return decoded
  }

  // MARK: Lengths and numbers

  /// Whether a field is the length or the number of a later one.
  private func isCount(_ name: String, of index: Int) -> Bool {
    layout.parts[(index + 1)...].contains { part in
      guard case .field(let format) = part.kind else { return false }
      switch format {
      case .sized(.expression(let count), _), .repeated(.expression(let count), _):
        return count.solved(for: name, result: 0) != nil
      case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .text, .octets, .half,
        .rest,
        .list, .enumeration, .word, .real, .address, .terminated, .sized, .repeated, .layout,
        .adjusted, .moment:
        return false
      }
    }
  }

  /// The format inside one whose length or number is not known yet, and the expression of that.
  private func counted(_ format: FieldFormat) -> (FieldFormat, FieldExpression)? {
    func isOpen(_ count: FieldExpression) -> Bool { counts.contains { count.mentions($0.name) } }
    if case .sized(.expression(let count), let inner) = format, isOpen(count) {
      return (inner, count)
    }
    if case .repeated(.expression(let count), let inner) = format, isOpen(count) {
      return (.list(inner), count)
    }
    return nil
  }

  private mutating func settle(
    _ count: FieldExpression, _ size: Int, _ writer: inout OctetWriter
  ) throws(ValueError) {
    guard let index = counts.firstIndex(where: { count.mentions($0.name) }) else { return }
    let open = counts.remove(at: index)
    guard let solved = count.solved(for: open.name, result: Int128(size)) else {
      throw problem(open.name, "does not follow from '\(count.expression)'")
    }
    var scratch = OctetWriter()
    scratch.append(try open.number.bits(.integer(solved), open.name), open.number)
    writer.replace(at: open.position, with: scratch.octets)
    scope.add(
      .init(open.name, .integer(solved)), open.position..<open.position + open.number.octets
    )
  }

  // MARK: Flags

  /// The value to send: the given one, with flags that follow from the other fields.
  private func completed(_ part: ValuePart, _ format: FieldFormat) -> DecodedValue? {
    guard case .word(_, let bits) = format else { return value(part.name) ?? decided([part.name]) }
    var fields: [DecodedValue.Field] = []
    switch value(part.name) {
    case .fields(let given): fields = given
    case .some(let whole): return whole
    case nil: break
    }
    for field in bits where !fields.contains(where: { $0.name == field.name }) {
      if let value = decided([part.name, field.name]) { fields.append(.init(field.name, value)) }
    }
    let isGiven = value(part.name) != nil
    let isOptional =
      if case .when(let condition) = part.presence { condition.isOptional } else { false }
    return fields.isEmpty && !isGiven && (isOptional || !bits.allSatisfy(\.isOptional))
      ? nil : .fields(fields)
  }

  /// The value of a flag that the presence of other fields decides; nil if none does.
  private func decided(_ path: [String]) -> DecodedValue? {
    var known: [String] = []
    for part in layout.parts where !known.contains(part.name) {
      guard case .field = part.kind else { continue }
      known.append(part.name)
      let alternatives = layout.parts.filter { $0.name == part.name }
      let wanted = alternatives.map { $0.atoms }
      if value(part.name) != nil {
        let possible = wanted.first { atoms in
          atoms?.allSatisfy { self.agrees($0) } ?? false
        }
        if let atom = possible??.first(where: { $0.path == path }) { return atom.value }
      } else if wanted.count == 1, let atom = wanted[0]?.first, wanted[0]?.count == 1,
        atom.path == path, path.count == 2, let truth = atom.value.truth, !part.isOptional
      {
        return .boolean(!truth)
      }
    }
    return nil
  }

  /// Whether a condition does not contradict what is given.
  private func agrees(_ atom: ConditionAtom) -> Bool {
    guard var found = given.first(where: { $0.name == atom.path[0] })?.value else {
      return scope.value(atom.path).map { atom.holds(for: $0) } ?? true
    }
    for name in atom.path.dropFirst() {
      guard let inner = found[name] else { return true }
      found = inner
    }
    return atom.holds(for: found)
  }

  private func problem(_ field: String, _ text: String) -> ValueError {
    ValueError(field: field, octet: 0, problem: text)
  }
}

/// A condition that a field has a value.
private struct ConditionAtom {
  let path: [String]
  let value: DecodedValue
  /// The names of the numbers of the field; nil if it has none, or if the value is a name.
  var names: Names?

  /// Whether a value is the one of the condition: `yes`, 1 and true are the same flag.
  func holds(for given: DecodedValue) -> Bool {
    if let names, case .integer(let number) = value {
      return names.number(given.description).map { Int128($0) == number } ?? false
    }
    if let truth = given.truth, let wanted = value.truth { return truth == wanted }
    return given == value || given.description == value.description
  }
}

extension ValuePart {
  fileprivate var isOptional: Bool {
    if case .when(let condition) = presence { condition.isOptional } else { false }
  }

  /// The conditions under which it is present; nil where they are not that simple.
  fileprivate var atoms: [ConditionAtom]? {
    guard case .when(let condition) = presence else { return [] }
    var atoms: [ConditionAtom] = []
    for term in condition.terms {
      switch term {
      case .holds(let expression):
        guard let found = expression.atoms(of: expression.expression.root) else { return nil }
        atoms += found
      case .selects(let selector, let keys):
        guard case .name(let index) = selector.expression.root.form, keys.count == 1 else {
          return nil
        }
        let path = selector.expression.names[index].path
        switch keys[0] {
        case .text(let text): atoms.append(ConditionAtom(path: path, value: .text(text)))
        case .numbers(let range):
          guard range.lowerBound == range.upperBound else { return nil }
          atoms.append(
            ConditionAtom(
              path: path, value: .integer(range.lowerBound), names: selector.numbers[index]
            )
          )
        }
      case .selectsNone: return nil
      }
    }
    return atoms
  }
}

extension FieldExpression {
  fileprivate func atoms(of node: ExpressionNode) -> [ConditionAtom]? {
    func path(_ node: ExpressionNode) -> [String]? {
      if case .name(let index) = node.form { expression.names[index].path } else { nil }
    }
    func equal(_ name: ExpressionNode, _ constant: ExpressionNode) -> [ConditionAtom]? {
      guard case .name(let index) = name.form, case .constant(let value) = constant.form else {
        return nil
      }
      let path = expression.names[index].path
      return [ConditionAtom(path: path, value: value, names: numbers[index])]
    }
    switch node.form {
    case .name(let index):
      return [ConditionAtom(path: expression.names[index].path, value: .boolean(true))]
    case .prefix(.not, let inner):
      return path(inner).map { [ConditionAtom(path: $0, value: .boolean(false))] }
    case .infix(.and, let left, let right):
      guard let first = atoms(of: left), let second = atoms(of: right) else { return nil }
      return first + second
    case .infix(.equal, let left, let right):
      return equal(left, right) ?? equal(right, left)
    case .constant, .prefix, .infix, .call, .field, .element, .slice: return nil
    }
  }

  /// The number of a field for which the expression has a result: for `NAME`, `NAME + n` and
  /// `NAME - n`. Nil for others.
  fileprivate func solved(for name: String, result: Int128) -> Int128? {
    func isName(_ node: ExpressionNode) -> Bool {
      if case .name(let index) = node.form { expression.names[index].path == [name] } else { false }
    }
    func whole(_ node: ExpressionNode) -> Int128? {
      if case .constant(.integer(let number)) = node.form { number } else { nil }
    }
    func exact(_ sum: (partialValue: Int128, overflow: Bool)) -> Int128? {
      sum.overflow ? nil : sum.partialValue
    }
    switch expression.root.form {
    case .name: return isName(expression.root) ? result : nil
    case .infix(.plus, let left, let right):
      return isName(left)
        ? whole(right).flatMap { exact(result.subtractingReportingOverflow($0)) } : nil
    case .infix(.minus, let left, let right):
      return isName(left) ? whole(right).flatMap { exact(result.addingReportingOverflow($0)) } : nil
    case .constant, .prefix, .infix, .call, .field, .element, .slice: return nil
    }
  }
}

extension ValueError {
  /// The error of a field that a value does not have.
  static func unknownField(_ name: String, of owner: String, among names: [String]) -> ValueError {
    let hint =
      Spelling.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
      ?? "expected \(names.isEmpty ? "none" : names.joined(separator: ", "))"
    return ValueError(field: name, octet: 0, problem: "unknown field of \(owner) (\(hint))")
  }
}

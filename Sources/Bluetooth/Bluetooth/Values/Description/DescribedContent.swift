// The fields of a described value in a file, of which some are calculated later, and their mistakes.

import Spelling

/// The content of a described value, or of one of its fields.
package indirect enum DescribedContent: Sendable, Hashable {
  /// A number, a text, yes or no, or bytes in hexadecimal digits: the format decides.
  case text(String)
  case calculated(Expression)
  case list([DescribedContent])
  /// Fields, each name once.
  case group([Member])

  package struct Member: Sendable, Hashable {
    package let name: String
    package let value: DescribedContent
  }

  /// A group of fields whose names may have dots: `flags.tamper`.
  package init(group members: [(path: [String], value: DescribedContent)]) {
    var fields: [Member] = []
    for (path, value) in members {
      let rest = Array(path.dropFirst())
      let value = rest.isEmpty ? value : DescribedContent(group: [(rest, value)])
      if let index = fields.firstIndex(where: { $0.name == path[0] }),
        case .group(let old) = fields[index].value, case .group(let new) = value
      {
        fields[index] = Member(name: path[0], value: .group(old + new))
      } else {
        fields.append(Member(name: path[0], value: value))
      }
    }
    self = .group(fields)
  }

  /// The value; nil where a calculation has no result.
  package func value(_ calculate: (Expression) -> DecodedValue?) -> DecodedValue? {
    switch self {
    case .text(let text): return .text(text)
    case .calculated(let expression): return calculate(expression)
    case .list(let contents):
      let values = contents.compactMap { $0.value(calculate) }
      return values.count == contents.count ? .list(values) : nil
    case .group(let members):
      let fields = members.compactMap { member in
        member.value.value(calculate).map { DecodedValue.Field(member.name, $0) }
      }
      return fields.count == members.count ? .fields(fields) : nil
    }
  }
}

extension ValueDescription {
  /// The use of a content.
  package enum ContentUse: Sendable {
    /// It is encoded, so that no field may be missing.
    case encoded
    /// Received values are compared with the fields that it has.
    case compared
  }

  /// The mistakes in fields, each with the path of its field.
  ///
  /// Calculated fields are taken to have any value of their kind. A field that only some values of
  /// others require is not missing.
  ///
  /// - Parameter kind: Returns the kind of a calculation's result; nil where it is unknown.
  package func mistakes(
    in content: DescribedContent, _ use: ContentUse,
    _ kind: @escaping (Expression) -> Expression.Kind?
  ) -> [ValueError] {
    var check = ContentCheck(use: use, kind: kind)
    check.layout(layout, content, [])
    return check.mistakes
  }
}

private struct ContentCheck {
  let use: ValueDescription.ContentUse
  let kind: (Expression) -> Expression.Kind?
  var mistakes: [ValueError] = []

  private mutating func complain(_ problem: String, at path: [String]) {
    mistakes.append(
      ValueError(field: path.joined(separator: "."), octet: 0, problem: problem)
    )
  }

  /// Checks the fields of a layout.
  mutating func layout(_ layout: ValueLayout, _ content: DescribedContent, _ path: [String]) {
    guard layout.isDescribed else { return standard(layout, content, path) }
    let members: [DescribedContent.Member]
    if case .group(let given) = content {
      members = given
    } else {
      guard let first = layout.parts.first(where: { !$0.fieldNames.isEmpty }) else { return }
      members = [.init(name: first.name, value: content)]
    }
    let names =
      switch use {
      case .encoded: layout.settableNames
      // Fields that follow from the others are not in the decoded value.
      case .compared: layout.parts.flatMap(\.fieldNames)
      }
    let known = names + [DecodedValue.further]
    let unknown = members.filter { !known.contains($0.name) }
    for member in unknown {
      let error = ValueError.unknownField(member.name, of: layout.name, among: names)
      complain(error.problem, at: path + [member.name])
    }
    for member in members {
      // A bare value has no name in the file.
      let place = layout.isBare ? path : path + [member.name]
      alternatives(layout.parts.filter { $0.name == member.name }, member.value, place)
    }
    guard case .encoded = use, unknown.isEmpty else { return }
    for (name, bits, isAlways) in layout.required {
      switch members.first(where: { $0.name == name })?.value {
      case nil:
        if isAlways, bits.isEmpty || bits.contains(where: { !$0.isOptional }) {
          complain("missing", at: path + [name])
        }
      case .group(let given)?:
        for field in bits
        where !field.isOptional && !given.contains(where: { $0.name == field.name }) {
          complain("missing", at: path + [name, field.name])
        }
      case .text?, .calculated?, .list?: break
      }
    }
  }

  /// Checks the value of a field with the first format that it fits.
  private mutating func alternatives(
    _ parts: [ValuePart], _ content: DescribedContent, _ path: [String]
  ) {
    var first: [ValueError]?
    for part in parts {
      let format: FieldFormat
      switch part.kind {
      case .field(let own), .computed(let own, _): format = own
      case .flags, .size, .selector, .flagged, .split, .unused, .checksum, .constant, .padding,
        .noCase:
        continue
      }
      var check = ContentCheck(use: use, kind: kind)
      check.format(format, content, path, in: part.range)
      if check.mistakes.isEmpty { return }
      if first == nil { first = check.mistakes }
    }
    mistakes += first ?? []
  }

  /// Checks a value of a specification: the names of its fields, and where all are known, the value.
  private mutating func standard(
    _ layout: ValueLayout, _ content: DescribedContent, _ path: [String]
  ) {
    if case .group(let members) = content {
      let names = layout.fieldNames
      let known = names + [DecodedValue.further]
      let unknown = members.filter { !known.contains($0.name) }
      for member in unknown {
        let error = ValueError.unknownField(member.name, of: layout.name, among: names)
        complain(error.problem, at: path + [member.name])
      }
      guard unknown.isEmpty else { return }
    }
    guard case .encoded = use, let value = content.value({ _ in nil }) else { return }
    do {
      _ = try layout.encode(value)
    } catch {
      complain(error.problem, at: path + [error.field])
    }
  }

  private mutating func format(
    _ format: FieldFormat, _ content: DescribedContent, _ path: [String],
    in range: ClosedRange<Double>? = nil
  ) {
    switch format {
    case .layout(let inner): layout(inner, content, path)
    case .sized(let count, let inner):
      if case .fixed = count, inner.isOfOctets, case .text(let text) = content {
        constant(format, .text(text), path, in: range)
      } else {
        self.format(inner, content, path, in: range)
      }
    case .repeated(.fixed(let count), let inner):
      if case .list(let contents) = content, contents.count != count {
        complain("expected \(count) values, found \(contents.count)", at: path)
      }
      elements(inner, content, path, in: range)
    case .repeated(_, let inner), .list(let inner): elements(inner, content, path, in: range)
    case .word(let number, let bits): word(number, bits, content, path)
    // Its number depends on other fields.
    case .adjusted: break
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .text, .octets, .half, .rest,
      .enumeration, .real, .address, .terminated, .moment:
      switch content {
      case .calculated(let expression): calculated(format, expression, path)
      case .text(let text): constant(format, .text(text), path, in: range)
      case .list, .group:
        if let value = content.value({ _ in nil }) { constant(format, value, path, in: range) }
      }
    }
  }

  private mutating func elements(
    _ format: FieldFormat, _ content: DescribedContent, _ path: [String],
    in range: ClosedRange<Double>?
  ) {
    switch content {
    case .list(let contents):
      for (index, content) in contents.enumerated() {
        self.format(format, content, path + ["\(index + 1)"], in: range)
      }
    case .text(let text):
      for element in DecodedValue.text(text).elements ?? [] {
        self.format(format, .text(element.description), path, in: range)
      }
    case .group: complain("a group is not a list", at: path)
    case .calculated: break
    }
  }

  private mutating func word(
    _ number: WireNumber, _ bits: [BitField], _ content: DescribedContent, _ path: [String]
  ) {
    guard case .group(let members) = content else {
      if case .encoded = use, let value = content.value({ _ in nil }) {
        constant(.word(number, bits), value, path, in: nil)
      }
      return
    }
    for member in members {
      guard let field = bits.first(where: { $0.name == member.name }) else {
        let names = bits.map(\.name)
        let error = ValueError.unknownField(member.name, of: path.last ?? "", among: names)
        complain(error.problem, at: path + [member.name])
        continue
      }
      guard case .text(let text) = member.value else { continue }
      do {
        let word = try field.bits(.text(text))
        try compare(field.field(in: word, at: 0).value, .text(text))
      } catch {
        complain(error.problem, at: path + [member.name])
      }
    }
  }

  /// Checks a known value.
  private mutating func constant(
    _ format: FieldFormat, _ value: DecodedValue, _ path: [String], in range: ClosedRange<Double>?
  ) {
    let scope = FieldScope(inside: nil)
    let name = path.last ?? "value"
    do {
      var writer = OctetWriter()
      try format.write(value, &writer, name, scope)
      var reader = OctetReader(writer.octets)
      let decoded = try format.read(&reader, name, scope)
      try decoded.check(in: range, name, at: 0)
      try compare(decoded, value)
    } catch {
      complain(error.problem, at: path)
    }
  }

  /// Refuses a value with which no received value is equal: a number of a field whose numbers have
  /// names, or one between two steps.
  private func compare(
    _ decoded: DecodedValue, _ value: DecodedValue
  ) throws(ValueError) {
    guard case .compared = use, !decoded.matches(written: value) else { return }
    throw ValueError(
      field: "", octet: 0, problem: "no value is '\(value)' (did you mean '\(decoded)'?)"
    )
  }

  private mutating func calculated(
    _ format: FieldFormat, _ expression: Expression, _ path: [String]
  ) {
    guard let kind = kind(expression), let wanted = format.wants(kind) else { return }
    complain("'\(expression)' is \(kind.shown) (expected \(wanted))", at: path)
  }
}

extension FieldFormat {
  /// Whether it is a text or octets, whose number may be wrong.
  fileprivate var isOfOctets: Bool {
    switch self {
    case .text, .octets, .half, .rest: true
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .list, .enumeration, .word,
      .real, .address, .terminated, .sized, .repeated, .adjusted, .moment, .layout:
      false
    }
  }

  /// The kind that a calculation must have; nil if one of this kind fits.
  fileprivate func wants(_ kind: Expression.Kind) -> String? {
    switch self {
    case .number, .float, .sfloat, .real, .boolean, .moment:
      switch kind {
      case .octets, .list: "a number"
      case .number, .boolean, .choice, .text, .time: nil
      }
    case .octets, .half, .rest, .terminated(_, isText: false):
      kind.isNumber ? "bytes" : nil
    case .text, .terminated(_, isText: true), .dateTime, .address:
      kind.isNumber ? "a text" : nil
    case .named, .enumeration, .bits, .list, .word, .sized, .repeated, .adjusted, .layout: nil
    }
  }
}

extension ValueLayout {
  /// The names of fields that may be given, also of those that follow from the others.
  var settableNames: [String] {
    parts.flatMap { part in
      if case .computed = part.kind { [part.name] } else { part.fieldNames }
    }
  }

  /// The fields that do not follow from others, with the fields in their bits: those that a value
  /// must always have, and words whose bits it must have if it has the word.
  fileprivate var required: [(name: String, bits: [BitField], isAlways: Bool)] {
    let mentioned = mentionedNames
    return parts.compactMap { part -> (name: String, bits: [BitField], isAlways: Bool)? in
      guard case .field(let format) = part.kind, !mentioned.contains(part.name) else { return nil }
      let isAlways = part.presence == .always
      guard case .word(_, let bits) = format else {
        guard isAlways else { return nil }
        return (part.name, [], true)
      }
      let hasAlternatives = parts.contains { $0.name == part.name && $0.presence != part.presence }
      guard !hasAlternatives else { return nil }
      return (part.name, bits, isAlways)
    }
  }

  /// The fields that conditions, sizes and numbers of others mention, from which they may follow.
  private var mentionedNames: Set<String> {
    var expressions: [FieldExpression] = []
    for part in parts {
      if case .when(let condition) = part.presence {
        for term in condition.terms {
          switch term {
          case .holds(let expression), .selects(let expression, _), .selectsNone(let expression, _):
            expressions.append(expression)
          }
        }
      }
      if case .field(.sized(.expression(let count), _)) = part.kind { expressions.append(count) }
      if case .field(.repeated(.expression(let count), _)) = part.kind { expressions.append(count) }
    }
    return Set(expressions.flatMap { $0.expression.names.compactMap(\.path.first) })
  }
}

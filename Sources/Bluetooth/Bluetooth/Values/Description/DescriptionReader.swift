// Reads descriptions of values: from the mappings of a file to layouts.
//
// All mistakes are found, each with the keys that lead to it. Names in expressions, formats and
// places are resolved here, so that decoding looks nothing up.

import Spelling

/// A reader of the entries of `names` that describe values.
struct DescriptionReader {
  /// The limits of one description.
  enum Limit {
    static let fields = 256
    static let expanded = 4096
    static let names = 1024
    static let cases = 256
    static let depth = 8
    static let octets = 512
    static let examples = 64
  }

  /// A field that expressions may name.
  struct Known {
    let name: String
    let format: FieldFormat?
  }

  /// Names on the top level that expectations and captures use for something else.
  static let reserved =
    ["value", "values", "count", "rate", "silence", "error", "bytes", DecodedValue.further]
    + ["interval-p50", "interval-p95", "interval-p99", "latency-p50", "latency-p95", "latency-p99"]
    + ValueFormat.names

  private let entries: [(name: String, node: DescriptionNode)]
  private let base: AttributeNames
  private var problems: [DescriptionProblem] = []
  /// The finished descriptions; nil inside for one with mistakes.
  private var finished: [String: ValueDescription?] = [:]
  /// The names of the descriptions that are being read, the outermost first.
  private var reading: [String] = []
  /// The number of fields of the current description, with those of the formats it names.
  var count = 0

  init(_ entries: [(name: String, node: DescriptionNode)], over base: AttributeNames) {
    self.entries = entries
    self.base = base
  }

  /// The number of problems so far.
  var problemCount: Int { problems.count }

  mutating func removeProblems() -> [DescriptionProblem] {
    defer { problems = [] }
    return problems
  }

  mutating func complain(
    _ message: String, expected: String? = nil, nearest: String? = nil, at path: [String],
    isOfKey: Bool = false
  ) {
    problems.append(
      DescriptionProblem(
        message, expected: nearest == nil ? expected : nil, nearest: nearest, at: path,
        isOfKey: isOfKey
      )
    )
  }

  mutating func complain(_ node: DescriptionNode, expected: String, at path: [String]) {
    complain("expected \(expected), found \(node.shown)", at: path)
  }

  // MARK: Entries

  /// The UUID under which an entry names an attribute; nil without one.
  static func uuid(_ node: DescriptionNode) -> BluetoothUUID? {
    node[EntryKey.uuid.rawValue]?.text.flatMap { BluetoothUUID($0) }
  }

  /// The description in the entry with a name; nil for one with mistakes, and for a name alone.
  mutating func description(named name: String) -> ValueDescription? {
    if let known = finished[name] { return known }
    guard let node = entries.first(where: { $0.name == name })?.node, node.mapping != nil else {
      return nil
    }
    reading.append(name)
    let outer = count
    let before = problems.count
    count = 0
    let description = entry(name, node)
    count = outer
    reading.removeLast()
    let result = problems.count == before ? description : nil
    finished[name] = result
    if let result { examples(of: result, node, at: [name]) }
    return result
  }

  private mutating func entry(_ name: String, _ node: DescriptionNode) -> ValueDescription? {
    let path = [name]
    let source = source(of: node, at: path)
    let isExact = truth(node, EntryKey.exact.rawValue, at: path)
    let own = EntryKey.allCases.map(\.rawValue)
    guard node[EntryKey.format.rawValue] != nil else {
      checkKeys(of: node, among: own, at: path)
      guard let list = node[EntryKey.fields.rawValue] else {
        if Self.uuid(node) == nil || node.mapping?.count != 1 {
          complain("the fields are missing", expected: "'fields', or 'format'", at: path)
        }
        return nil
      }
      var known: [Known] = []
      let parts = fields(list, at: path + [EntryKey.fields.rawValue], [], &known, depth: 1)
      checkTopNames(list, at: path + [EntryKey.fields.rawValue])
      let layout = ValueLayout(described: name, parts)
      let isInPieces = isInPieces(node, parts, at: path)
      return ValueDescription(
        name, of: source, layout, isExact: isExact, isInPieces: isInPieces, text: node
      )
    }
    if node[EntryKey.fields.rawValue] != nil {
      complain("'fields' and 'format' exclude each other", at: path + [EntryKey.format.rawValue])
    }
    let attributes = FieldKey.allCases.filter { !FieldKey.nameless.contains($0) && $0 != .name }
    checkKeys(of: node, among: own + attributes.map(\.rawValue), at: path)
    let isBare = node[FieldKey.unit.rawValue] == nil
    var known: [Known] = []
    let parts = formatted(
      "value", node[EntryKey.format.rawValue] ?? node, node, at: path, formatAt: path + ["format"],
      [], &known, depth: 1
    )
    let layout = ValueLayout(described: name, parts, isBare: isBare)
    let isInPieces = isInPieces(node, parts, at: path)
    return ValueDescription(
      name, of: source, layout, isExact: isExact, isInPieces: isInPieces, text: node
    )
  }

  /// Whether the values come in several notifications, whose end must follow from the fields.
  private mutating func isInPieces(
    _ node: DescriptionNode, _ parts: [ValuePart], at path: [String]
  ) -> Bool {
    let key = EntryKey.pieces.rawValue
    guard truth(node, key, at: path) else { return false }
    if let (field, reason) = parts.lazy.compactMap(\.endlessness).first {
      let which = field.isEmpty ? "a field" : "'\(field)'"
      complain(
        "\(which) \(reason), and the pieces have no other end",
        expected: "a 'size' or 'repeat' that follows from the fields before", at: path + [key]
      )
    }
    return true
  }

  private mutating func source(
    of node: DescriptionNode, at path: [String]
  ) -> ValueDescription.Source {
    let keys: [EntryKey] = [.uuid, .serviceData, .manufacturer]
    let given = keys.filter { node[$0.rawValue] != nil }
    if given.count > 1 {
      complain(
        "'\(given[0].rawValue)' and '\(given[1].rawValue)' exclude each other",
        at: path + [given[1].rawValue]
      )
    }
    guard let key = given.first, let value = node[key.rawValue] else { return .none }
    let place = path + [key.rawValue]
    switch key {
    case .uuid, .serviceData:
      guard let uuid = value.text.flatMap({ BluetoothUUID($0) }) else {
        let expected = "a UUID such as \(AttributeNames.example), or of 4 or 8 digits"
        complain(value, expected: expected, at: place)
        return .none
      }
      return key == .uuid ? .attribute(uuid) : .serviceData(uuid)
    case .manufacturer:
      guard let company = value.whole.flatMap({ UInt16(exactly: $0) }) else {
        complain(value, expected: "the number of a company such as 0x0702", at: place)
        return .none
      }
      return .manufacturer(company)
    case .fields, .format, .exact, .pieces, .examples: return .none
    }
  }

  /// Refuses names that expectations and captures use for something else.
  private mutating func checkTopNames(_ list: DescriptionNode, at path: [String]) {
    for (index, node) in (list.sequence ?? []).enumerated() {
      guard let name = Self.name(of: node), Self.reserved.contains(name) else { continue }
      let meaning =
        name == "count" ? "what expect calls the number of values" : "a word of expect"
      complain(
        "'\(name)' is \(meaning)",
        expected: "another name, such as '\(name == "count" ? "readings" : name + "-1")'",
        at: path + ["\(index)", name], isOfKey: true
      )
    }
  }

  /// The name of a field; nil for an entry without one.
  static func name(of node: DescriptionNode) -> String? {
    guard let first = node.mapping?.first else { return nil }
    if first.key == FieldKey.name.rawValue, node[FieldKey.format.rawValue] != nil {
      return first.value.text
    }
    return FieldKey.nameless.contains { $0.rawValue == first.key } ? nil : first.key
  }

  // MARK: Fields

  /// Reads a list of fields.
  ///
  /// - Parameters:
  ///   - terms: The conditions of all of them.
  ///   - known: The fields that expressions may name; those of the list are added.
  mutating func fields(
    _ list: DescriptionNode, at path: [String], _ terms: [FieldCondition.Term],
    _ known: inout [Known], depth: Int
  ) -> [ValuePart] {
    guard let nodes = list.sequence, !nodes.isEmpty else {
      complain(list, expected: "a list of fields such as [{ moisture: u16 }]", at: path)
      return []
    }
    guard depth <= Limit.depth else {
      complain("fields are nested deeper than \(Limit.depth) levels", at: path)
      return []
    }
    guard nodes.count <= Limit.fields else {
      complain("more than \(Limit.fields) fields", at: path)
      return []
    }
    count += nodes.count
    guard count <= Limit.expanded else {
      if count - nodes.count <= Limit.expanded {
        complain("more than \(Limit.expanded) fields, with those of the named formats", at: path)
      }
      return []
    }
    var parts: [ValuePart] = []
    var names: [String: Int] = [:]
    for (index, node) in nodes.enumerated() {
      let place = path + ["\(index)"]
      let own = field(node, at: place, terms, &known, depth: depth)
      if let name = Self.name(of: node) {
        checkAlternative(name, own, parts, &names, at: place + [name])
      }
      if index < nodes.count - 1, let open = own.last, own.count == 1, open.takesRest,
        open.presence == .always
      {
        let next = Self.name(of: nodes[index + 1]).map { "'\($0)' follows" } ?? "more follows"
        complain(
          "takes all bytes to the end, but \(next)",
          expected: "size, or \(open.name) as the last field", at: place + [open.name],
          isOfKey: true
        )
      }
      parts += own
    }
    return parts
  }

  /// Fields of one name are alternatives, each with a condition. Names that differ in case are
  /// mistakes.
  private mutating func checkAlternative(
    _ name: String, _ own: [ValuePart], _ before: [ValuePart], _ names: inout [String: Int],
    at path: [String]
  ) {
    let key = name.lowercased()
    defer { names[key] = before.count }
    guard names[key] != nil, let other = before.first(where: { $0.name.lowercased() == key }) else {
      return
    }
    if other.name != name {
      complain(
        "'\(name)' and '\(other.name)' differ only in case", expected: "another name", at: path,
        isOfKey: true
      )
    } else if other.presence == .always || own.contains(where: { $0.presence == .always }) {
      complain(
        "duplicate field '\(name)'", expected: "a 'when' with each of several alternatives",
        at: path,
        isOfKey: true
      )
    }
  }

  private mutating func field(
    _ node: DescriptionNode, at path: [String], _ terms: [FieldCondition.Term],
    _ known: inout [Known], depth: Int
  ) -> [ValuePart] {
    guard let first = node.mapping?.first else {
      complain(node, expected: "a field such as { moisture: u16 }", at: path)
      return []
    }
    var terms = terms
    if let when = node[FieldKey.when.rawValue],
      let condition = expression(when, at: path + [FieldKey.when.rawValue], known)
    {
      checkTruth(condition, at: path + [FieldKey.when.rawValue], known)
      terms.append(.holds(condition))
    }
    switch FieldKey.nameless.first(where: { $0.rawValue == first.key }) {
    case .fields:
      checkKeys(of: node, among: [.fields, .when], at: path)
      return fields(first.value, at: path + [first.key], terms, &known, depth: depth + 1)
    case .switch:
      checkKeys(of: node, among: [.switch, .cases, .when], at: path)
      return cases(of: node, at: path, terms, &known, depth: depth) {
        reader, value, place, terms, known in
        reader.caseFields(value, at: place, terms, &known, depth: depth + 1)
      }
    case .pad, .padTo:
      checkKeys(of: node, among: [.pad, .padTo, .when], at: path)
      guard let padding = padding(first, at: path + [first.key]) else { return [] }
      return [ValuePart("padding", .padding(padding), Self.presence(terms))]
    case .constant:
      checkKeys(of: node, among: [.constant, .when], at: path)
      let octets = first.value.text.flatMap { FieldFormat.octets(written: $0) } ?? []
      guard (1...Limit.octets).contains(octets.count) else {
        complain(
          first.value, expected: "bytes in hexadecimal digits such as a4 01", at: path + [first.key]
        )
        return []
      }
      return [ValuePart("constant", .constant(octets), Self.presence(terms))]
    case .name, .format, .cases, .size, .repeats, .scale, .offset, .unit, .names, .special,
      .unknown,
      .bits, .when, .optional, .checksum, .over, .range, .closed, .decimals, .terminator, .exponent,
      .negative, .sign, .since, .at, nil:
      return named(node, first, at: path, terms, &known, depth: depth)
    }
  }

  private mutating func named(
    _ node: DescriptionNode, _ first: DescriptionNode.Entry, at path: [String],
    _ terms: [FieldCondition.Term], _ known: inout [Known], depth: Int
  ) -> [ValuePart] {
    let isLong = first.key == FieldKey.name.rawValue && node[FieldKey.format.rawValue] != nil
    let name = isLong ? first.value.text ?? "" : first.key
    guard AttributeName.isName(name) else {
      complain(
        "expected a field such as { moisture: u16 }, found '\(name)'",
        expected: "a name of letters, digits, - and _ that begins with a letter, then its format",
        at: path + [first.key], isOfKey: true
      )
      return []
    }
    if let meant = FieldKey(rawValue: name), !isLong, meant != .name, node.mapping?.count ?? 0 > 1,
      let other = node.mapping?.dropFirst().first(where: { FieldKey(rawValue: $0.key) == nil })
    {
      complain(
        "the name of the field comes first", expected: "{ \(other.key): …, \(name): … }",
        at: path + [first.key], isOfKey: true
      )
      return []
    }
    let keys = FieldKey.allCases.filter {
      !FieldKey.nameless.contains($0) && $0 != .cases && (isLong || $0 != .name && $0 != .format)
    }
    checkKeys(
      of: node, among: (isLong ? [] : [name]) + (keys + [.constant]).map(\.rawValue), at: path
    )
    let formatPath = path + [isLong ? FieldKey.format.rawValue : first.key]
    let format = isLong ? node[FieldKey.format.rawValue] ?? first.value : first.value
    // A field may have the name of a key, such as `size`.
    let others = Array((node.mapping ?? []).dropFirst())
    let attributes = isLong ? node : DescriptionNode(.mapping(others))
    return formatted(
      name, format, attributes, at: path, formatAt: formatPath, terms, &known, depth: depth
    )
  }

  private mutating func padding(
    _ entry: DescriptionNode.Entry, at path: [String]
  ) -> ValuePart.Padding? {
    if entry.key == FieldKey.pad.rawValue, entry.value.text == "end" { return .end }
    guard let count = entry.value.whole, (0...Int128(Limit.octets)).contains(count) else {
      complain(
        entry.value, expected: "a number of bytes from 0 to \(Limit.octets), or end", at: path)
      return nil
    }
    return entry.key == FieldKey.pad.rawValue ? .octets(Int(count)) : .to(Int(count))
  }

  /// The condition of a field.
  static func presence(_ terms: [FieldCondition.Term], isOptional: Bool = false) -> Presence {
    terms.isEmpty && !isOptional
      ? .always : .when(FieldCondition(terms: terms, isOptional: isOptional))
  }

  // MARK: Choices

  /// Reads the cases of a choice: alternatives, each under the condition of its case.
  mutating func cases(
    of node: DescriptionNode, at path: [String], _ terms: [FieldCondition.Term],
    _ known: inout [Known], depth: Int,
    _ read: (
      inout DescriptionReader, DescriptionNode, [String], [FieldCondition.Term], inout [Known]
    ) -> [ValuePart]
  ) -> [ValuePart] {
    guard let text = node[FieldKey.switch.rawValue],
      let selector = expression(text, at: path + [FieldKey.switch.rawValue], known)
    else { return [] }
    let place = path + [FieldKey.cases.rawValue]
    guard let entries = node[FieldKey.cases.rawValue]?.mapping, !entries.isEmpty else {
      complain("the cases are missing", expected: "'cases' with the fields of each", at: path)
      return []
    }
    guard entries.count <= Limit.cases else {
      complain("more than \(Limit.cases) cases", at: place)
      return []
    }
    let names = enumeration(of: selector, known)
    var keys: [FieldCondition.CaseKey] = []
    var parts: [ValuePart] = []
    let before = known
    for entry in entries where entry.key != "else" {
      guard let key = caseKey(entry.key, names, at: place + [entry.key]) else { continue }
      keys.append(key)
      var inner = before
      parts += read(
        &self, entry.value, place + [entry.key], terms + [.selects(selector, [key])],
        &inner
      )
      known += inner.dropFirst(before.count)
    }
    let others = [FieldCondition.Term.selectsNone(selector, keys)]
    if let other = entries.first(where: { $0.key == "else" }) {
      var inner = before
      parts += read(&self, other.value, place + ["else"], terms + others, &inner)
      known += inner.dropFirst(before.count)
    } else {
      parts.append(
        ValuePart(text.text ?? "switch", .noCase(selector), Self.presence(terms + others)))
    }
    return parts
  }

  /// The fields of one case: a list, or the name of a description whose fields they are.
  private mutating func caseFields(
    _ node: DescriptionNode, at path: [String], _ terms: [FieldCondition.Term],
    _ known: inout [Known], depth: Int
  ) -> [ValuePart] {
    guard let name = node.text else {
      return fields(node, at: path, terms, &known, depth: depth)
    }
    guard let description = format(named: name, at: path) else { return [] }
    guard description.isOfUser else {
      complain(
        "'\(name)' is of a specification, and no case", expected: "a format of your own", at: path)
      return []
    }
    guard counts(description.layout, depth: depth - 1, at: path) else { return [] }
    return description.layout.parts.map { part in
      known.append(Known(name: part.name, format: nil))
      return part.under(terms)
    }
  }

  private mutating func caseKey(
    _ text: String, _ names: Names?, at path: [String]
  ) -> FieldCondition.CaseKey? {
    if let numbers = names?.numbers(of: text) {
      return .numbers(Int128(numbers.lowerBound)...Int128(numbers.upperBound))
    }
    if let span = DescriptionNode.span(text) { return .numbers(span) }
    if ["true", "false"].contains(text) { return .numbers(text == "true" ? 1...1 : 0...0) }
    guard let known = names?.all else { return .text(text) }
    complain(
      "unknown name '\(text)'", expected: "a number, or one of \(known.joined(separator: ", "))",
      nearest: Spelling.nearest(to: text, among: known), at: path, isOfKey: true
    )
    return nil
  }

  /// The names of the field that a selector is; nil for other selectors.
  private func enumeration(of selector: FieldExpression, _ known: [Known]) -> Names? {
    guard case .name(let index) = selector.expression.root.form else { return nil }
    return Self.names(at: selector.expression.names[index].path, known)
  }

  // MARK: Named formats

  /// The description with a name; nil after a problem.
  mutating func format(named name: String, at path: [String]) -> ValueDescription? {
    if reading.contains(name) {
      let cycle = (reading.drop { $0 != name } + [name]).joined(separator: ", ")
      complain("'\(name)' is part of itself: \(cycle)", at: path)
      return nil
    }
    if reading.count > Limit.depth {
      complain("formats are nested deeper than \(Limit.depth) levels", at: path)
      return nil
    }
    if entries.contains(where: { $0.name == name && $0.node.mapping != nil }) {
      return description(named: name)
    }
    if let description = base.format(name)?.valueDescription { return description }
    let known =
      FieldWord.names + entries.filter { $0.node.mapping != nil }.map(\.name)
      + base.descriptions.map(\.name)
    let nearest = FieldWord.meant(by: name) ?? Spelling.nearest(to: name, among: known)
    complain(
      "unknown format '\(name)'",
      expected: "a format such as u16, utf8 or bytes, or the name of a description",
      nearest: nearest, at: path
    )
    return nil
  }

  /// Counts the fields of a named format; false after a problem, where they are too many or too deep.
  ///
  /// - Parameter depth: The level of the fields around it.
  mutating func counts(_ layout: ValueLayout, depth: Int, at path: [String]) -> Bool {
    let extent = layout.extent
    guard depth + extent.depth <= Limit.depth else {
      complain("formats are nested deeper than \(Limit.depth) levels", at: path)
      return false
    }
    count += extent.fields
    guard count > Limit.expanded else { return true }
    if count - extent.fields <= Limit.expanded {
      complain("more than \(Limit.expanded) fields, with those of the named formats", at: path)
    }
    return false
  }

  // MARK: Keys

  mutating func checkKeys(of node: DescriptionNode, among keys: [FieldKey], at path: [String]) {
    checkKeys(of: node, among: keys.map(\.rawValue), at: path)
  }

  mutating func checkKeys(of node: DescriptionNode, among keys: [String], at path: [String]) {
    let entries = node.mapping ?? []
    for entry in entries where !keys.contains(entry.key) {
      let given = entries.map(\.key)
      let free = keys.filter { !given.contains($0) }
      let nearest = Spelling.nearest(to: entry.key, among: free)
      complain(
        "unknown key '\(entry.key)'", expected: "one of \(free.joined(separator: ", "))",
        nearest: nearest, at: path + [entry.key], isOfKey: true
      )
    }
  }

  mutating func truth(_ node: DescriptionNode, _ key: String, at path: [String]) -> Bool {
    guard let value = node[key] else { return false }
    if let truth = value.truth { return truth }
    complain(value, expected: "true or false", at: path + [key])
    return false
  }
}

extension ValuePart {
  /// The part under further conditions.
  fileprivate func under(_ terms: [FieldCondition.Term]) -> ValuePart {
    var condition = FieldCondition(terms: terms)
    if case .when(let own) = presence {
      condition.terms += own.terms
      condition.isOptional = own.isOptional
    }
    return ValuePart(
      name, kind, title: title, unit: unit, .when(condition), range: range, conversion, at: offset
    )
  }
}

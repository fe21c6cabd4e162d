// The names that an expectation about a step's value may use.

import Bluetooth
import Documents

/// The valid names for the value of one step.
struct Subjects: Equatable {
  enum Kind {
    /// It has one value.
    case single
    /// It has many values, with a count, a rate and intervals.
    case stream
    /// It has many values that are read, also with latencies.
    case poll
    /// It finds devices, which have a count.
    case scan
  }

  /// The fields that the decoded value can have.
  let fields: [String]
  private let kind: Kind
  /// Whether the value has octets, which formats can decode.
  private let hasOctets: Bool
  /// What the fields are, by their names, and what the value is as a whole; without what is unknown.
  private var kinds: [String: ValueKind] = [:]
  private var wholeKind: ValueKind?
  /// How many values there are at most; nil where that is unknown.
  private var mostValues: Int?
  /// Whether the value is decoded as its specification says, so that bytes may be behind its fields.
  private var isStandard = false

  /// Whether it may have any field: JSON of a program.
  private var isOpen = false
  /// Whether the valid names are unknown, because the step itself is invalid.
  private var isUnknown = false

  private init(fields: [String], _ kind: Kind = .single) {
    self.fields = fields
    self.kind = kind
    hasOctets = false
  }

  /// The names for a characteristic or descriptor.
  ///
  /// - Parameters:
  ///   - uuid: nil where it is selected by its handle.
  ///   - format: The format of its value, which then has no fields.
  ///   - most: How many values end the step.
  init(of uuid: BluetoothUUID?, format: ValueFormat?, kind: Kind, most: Int? = nil) {
    let standard = format == nil ? uuid : nil
    fields = standard.map { StandardValues.fieldNames(of: $0) } ?? []
    self.kind = kind
    mostValues = most
    hasOctets = true
    kinds = standard.map { StandardValues.fieldKinds(of: $0) } ?? [:]
    wholeKind =
      format?.valueKind ?? (standard.map { StandardValues.kind(of: $0) } ?? .octets)
    isStandard = standard.map { StandardValues.decoder(for: $0) != nil } ?? false
  }

  /// The names for a combination: each value, and its fields.
  init(of inputs: [Combining.Input]) {
    var kinds: [String: ValueKind] = [:]
    let fields = inputs.flatMap { input -> [String] in
      let inner = Subjects(of: input.target.uuid, format: input.format, kind: .single)
      kinds[input.name] = inner.wholeKind
      for (field, kind) in inner.kinds { kinds["\(input.name).\(field)"] = kind }
      return [input.name] + inner.fields.map { "\(input.name).\($0)" }
    }
    self.init(fields: fields, .stream)
    self.kinds = kinds
  }

  /// What a subject always is; nil where that is unknown.
  func kind(of subject: Expectation.Subject) -> ValueKind? {
    switch subject {
    case .value: wholeKind
    case .field(let name): kinds[name]
    case .format(let format): format.valueKind
    case .count:
      .number(orText: false, in: 0...(mostValues.map { Double($0) } ?? .infinity), isWhole: true)
    case .rate: .number(orText: false, in: 0...(.infinity))
    case .measure: nil
    }
  }

  /// The names for what a program prints.
  init(ofOutput format: Command.Format) {
    self = .plain
    switch format {
    case .text: wholeKind = .text
    case .hex: wholeKind = .octets
    case .json: isOpen = true
    }
  }

  /// The fields and measures that a captured value has; nil where they are unknown.
  var capturedFields: [String]? { isOpen ? nil : fields + measures }

  /// The names for the devices that a scan found.
  static let scanned = Subjects(fields: [], .scan)

  /// No names: there is no value.
  static let nothing = Subjects(fields: [])

  /// Every name is valid: the step itself is invalid.
  static let unknown = {
    var subjects = Subjects.plain
    subjects.isUnknown = true
    return subjects
  }()

  /// The names for a value without a specification: only its octets are known.
  static let plain = {
    var subjects = Subjects(of: nil, format: nil, kind: .single)
    subjects.wholeKind = nil
    return subjects
  }()

  /// The names for a value that is a whole number of the connection, not octets of the device.
  static func number(in range: ClosedRange<Double>) -> Subjects {
    var subjects = Subjects.plain
    subjects.wholeKind = .number(orText: false, in: range, isWhole: true)
    return subjects
  }

  /// The names for facts of a connection, each a number in a range.
  init(of facts: [(name: String, range: ClosedRange<Int>)]) {
    self.init(fields: facts.map(\.name))
    for (name, range) in facts {
      let range = Double(range.lowerBound)...Double(range.upperBound)
      kinds[name] = .number(orText: false, in: range)
    }
  }

  /// The times that are measured over the values.
  private var times: [Measure] {
    switch kind {
    case .single, .scan: []
    case .stream: Measure.allCases.filter { !$0.isOfReads }
    case .poll: Measure.allCases
    }
  }

  /// What is measured over all values.
  var measures: [String] {
    kind == .stream || kind == .poll ? ["count", "rate"] + times.map(\.rawValue) : []
  }

  /// Whether there is a value to compare.
  var isOfValue: Bool { isUnknown || !names.isEmpty }

  /// All names, for error messages; formats last.
  var names: [String] {
    if kind == .scan { return ["count"] }
    let own = fields + (hasOctets ? ["value"] : []) + measures
    return hasOctets ? own + ValueFormat.names : own
  }

  /// The subject of a name; nil for an unknown one.
  func subject(_ name: String) -> Expectation.Subject? {
    if isUnknown { return Measure(rawValue: name).map { .measure($0) } ?? .value }
    if kind == .scan { return name == "count" ? .count : nil }
    if fields.contains(name) || name == DecodedValue.further && isStandard {
      return .field(name)
    }
    if let time = times.first(where: { $0.rawValue == name }) { return .measure(time) }
    if name == "count", measures.contains(name) { return .count }
    if name == "rate", measures.contains(name) { return .rate }
    guard hasOctets else { return nil }
    if name == "value" { return .value }
    return ValueFormat(name).map { .format($0) } ?? (isOpen ? .field(name) : nil)
  }
}

extension Subjects {
  /// The error about a name that a step's value does not have.
  func complaint(about name: String) -> Problem {
    .unknown("the value has no '\(name)'", name, among: names)
  }

  /// The error about a text in a file that is a comparison in the one-line form, such as
  /// `percent > 20`; nil for other texts.
  func complaint(aboutLine text: String) -> Problem? {
    let words = text.split(separator: " ")
    guard words.count > 2, Comparison(sign: words[1]) != nil, !words[1].contains(where: \.isLetter),
      subject(String(words[0])) != nil
    else { return nil }
    return Problem(
      "'\(text)' is in the one-line form",
      expected: "a mapping such as { \(words[0]): { min: 20 } }; for the text itself { is: … }"
    )
  }
}

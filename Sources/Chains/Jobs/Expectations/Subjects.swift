// The subjects that an expectation about a step's value may name, and the kind of each.
//
// It is derived from the step alone, before a value is received.

import Bluetooth
import Documents

/// The valid subjects for the value of one step.
struct Subjects: Equatable {
  enum Kind {
    /// One value.
    case single
    /// Many values, with a count, a rate and intervals.
    case stream
    /// Many values that are read, with latencies as well.
    case poll
    /// The devices of a scan, with a count.
    case scan
  }

  /// The possible fields of the decoded value.
  let fields: [String]
  private let kind: Kind
  /// Whether the value has bytes, which formats can decode.
  private let hasOctets: Bool
  /// The kind of each field, by name, if it is known; `wholeKind` is that of the entire value.
  private var kinds: [String: ValueKind] = [:]
  private var wholeKind: ValueKind?
  /// The maximum number of values; nil if it is unknown.
  private var mostValues: Int?
  /// Whether the value is decoded by a description, so that undecoded bytes may follow its
  /// fields.
  private var isStandard = false

  /// Whether any field is valid, as in the JSON output of a program.
  private var isOpen = false
  /// Whether the valid names are unknown, because the step itself is invalid.
  private var isUnknown = false

  private init(fields: [String], _ kind: Kind = .single) {
    self.fields = fields
    self.kind = kind
    hasOctets = false
  }

  /// Creates the subjects of a characteristic or descriptor.
  ///
  /// - Parameters:
  ///   - description: The format of its values; nil if there is none, and for a handle.
  ///   - format: An explicit format, which comes before the description.
  ///   - most: The number of values that ends the step.
  private init(
    of description: ValueDescription?, format: ValueFormat?, kind: Kind, most: Int? = nil
  ) {
    let description = format == nil ? description : format?.valueDescription
    fields = description?.fieldNames ?? []
    self.kind = kind
    mostValues = most
    hasOctets = true
    kinds = description?.fieldKinds ?? [:]
    wholeKind = description.map(\.kind) ?? format.map(\.valueKind) ?? .octets
    isStandard = description != nil
  }

  /// Creates the subjects of a characteristic.
  ///
  /// - Parameter most: The number of values that ends the step.
  init(of target: CharacteristicSelector, format: ValueFormat?, kind: Kind, most: Int? = nil) {
    let description = target.names.description(of: target.uuid)
    self.init(of: description, format: format, kind: kind, most: most)
  }

  /// Creates the subjects of a descriptor.
  init(of target: DescriptorSelector, format: ValueFormat?) {
    let description = target.characteristic.names.description(of: target.uuid)
    self.init(of: description, format: format, kind: .single)
  }

  /// Creates the subjects of a combination: each input, and its fields.
  init(of inputs: [Combining.Input]) {
    var kinds: [String: ValueKind] = [:]
    let fields = inputs.flatMap { input -> [String] in
      let inner = Subjects(of: input.target, format: input.format, kind: .single)
      kinds[input.name] = inner.wholeKind
      for (field, kind) in inner.kinds { kinds["\(input.name).\(field)"] = kind }
      return [input.name] + inner.fields.map { "\(input.name).\($0)" }
    }
    self.init(fields: fields, .stream)
    self.kinds = kinds
  }

  /// The kind that a subject always has; nil if it is unknown.
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

  /// Creates the subjects of a program's output.
  init(ofOutput format: Command.Format) {
    self = .plain
    switch format {
    case .text: wholeKind = .text
    case .hex: wholeKind = .octets
    case .json: isOpen = true
    }
  }

  /// The fields and measures of the captured value; nil if they are unknown.
  var capturedFields: [String]? { isOpen ? nil : fields + measures }

  /// The subjects of a scan.
  static let scanned = Subjects(fields: [], .scan)

  /// No subjects, because the step has no value.
  static let nothing = Subjects(fields: [])

  /// Every name, because the step itself is invalid and further errors would only repeat that.
  static let unknown = {
    var subjects = Subjects.plain
    subjects.isUnknown = true
    return subjects
  }()

  /// The subjects of a value without a specification, of which only the bytes are known.
  static let plain = {
    var subjects = Subjects(of: nil as ValueDescription?, format: nil, kind: .single)
    subjects.wholeKind = nil
    return subjects
  }()

  /// Creates the subjects of a whole number that describes the connection.
  static func number(in range: ClosedRange<Double>) -> Subjects {
    var subjects = Subjects.plain
    subjects.wholeKind = .number(orText: false, in: range, isWhole: true)
    return subjects
  }

  /// Creates the subjects of a step with one number for each property of the connection.
  init(of facts: [(name: String, range: ClosedRange<Int>)]) {
    self.init(fields: facts.map(\.name))
    for (name, range) in facts {
      let range = Double(range.lowerBound)...Double(range.upperBound)
      kinds[name] = .number(orText: false, in: range)
    }
  }

  private var times: [Measure] {
    switch kind {
    case .single, .scan: []
    case .stream: Measure.allCases.filter { !$0.isOfReads }
    case .poll: Measure.allCases
    }
  }

  /// The names of measures over all values.
  var measures: [String] {
    kind == .stream || kind == .poll ? ["count", "rate"] + times.map(\.rawValue) : []
  }

  /// Whether the step has a value to compare.
  var isOfValue: Bool { isUnknown || !names.isEmpty }

  /// All names, for errors; formats come last.
  var names: [String] {
    if kind == .scan { return ["count"] }
    let own = fields + (hasOctets ? ["value"] : []) + measures
    return hasOctets ? own + ValueFormat.names : own
  }

  /// Finds the subject with a name; nil for an unknown one.
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
  /// The error for a name that the value does not have.
  func complaint(about name: String) -> Problem {
    .unknown("the value has no '\(name)'", name, among: names)
  }

  /// The error for a text in a file that is a comparison in the one-line form, such as `percent >
  /// 20`; nil for other texts.
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

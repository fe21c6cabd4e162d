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
  /// Whether the value is a number that was not decoded from bytes.
  private var isOnlyNumber = false
  /// The kind of each field, by name, if it is known; `wholeKind` is that of the entire value.
  private var kinds: [String: ValueKind] = [:]
  private var wholeKind: ValueKind?
  /// The reasons why fields can only have the values of their kinds, by name, where the step decides it.
  private var reasons: [String: String] = [:]
  /// The maximum number of values; nil if it is unknown.
  private var mostValues: Int?
  /// Whether the value is decoded by a description, so that undecoded bytes may follow its
  /// fields.
  private var isStandard = false
  /// Whether a file describes the value, so that counters in it have the width of their field.
  private var isOfUser = false

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
    isOfUser = description?.isOfUser ?? false
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
  init(of inputs: [CombineStep.Input]) {
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
    case .total(let total): total.kind(of: kind(of: total.part))
    }
  }

  /// Creates the subjects of a program's output.
  init(ofOutput format: CommandStep.Format) {
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

  /// Creates the subjects of the result of a calculation. That of a captured value, of a part or of
  /// an element may have any fields.
  init(ofResultOf calculation: Calculation) {
    self = .plain
    switch calculation.expression.kind({ _ in nil }) {
    case .number?:
      wholeKind = .number(orText: false)
      isOnlyNumber = true
    case .boolean?:
      wholeKind = .boolean
      isOnlyNumber = true
    case .text?: wholeKind = .text
    case .choice?, .time?, .octets?, .list?, nil: isOpen = true
    }
  }

  /// Creates the subjects of a whole number that describes the connection.
  static func number(in range: ClosedRange<Double>) -> Subjects {
    var subjects = Subjects.plain
    subjects.wholeKind = .number(orText: false, in: range, isWhole: true)
    subjects.isOnlyNumber = true
    return subjects
  }

  /// Creates the subjects of a step with one number for each property of the connection, or with
  /// many such values.
  ///
  /// - Parameters:
  ///   - choices: Further properties, each with the names that it may have.
  ///   - most: The number of values that ends the step.
  init(
    of facts: [(name: String, range: ClosedRange<Int>)],
    choices: [(name: String, words: [String])] = [], kind: Kind = .single, most: Int? = nil
  ) {
    self.init(fields: facts.map(\.name) + choices.map(\.name), kind)
    mostValues = most
    for (name, words) in choices { kinds[name] = .choice(words) }
    for (name, range) in facts {
      let range = Double(range.lowerBound)...Double(range.upperBound)
      kinds[name] = .number(orText: false, in: range)
    }
  }

  /// Creates the subjects of a firmware update. The step reports no version but that of its image, and
  /// no image on trial if it confirms it.
  init(of step: FirmwareStep) {
    self.init(fields: ["before", "version", "outcome", "bytes", "duration", "rate"])
    kinds["before"] = .text
    kinds["version"] = step.image.goal == nil ? .text : .choice([step.image.version])
    reasons["version"] = "\(step.image.path) is \(step.image.version)"
    // Some bootloaders keep an image at once, so that one which is only tested may be confirmed.
    let outcomes = FirmwareUpdate.Report.Outcome.allCases
      .filter { $0 != .tested || !step.confirms }
    kinds["outcome"] = .choice(outcomes.map(\.rawValue))
    if step.confirms { reasons["outcome"] = "'tested' needs 'confirm: false'" }
    for name in ["bytes", "duration", "rate"] {
      kinds[name] = .number(orText: false, in: 0...(.infinity))
    }
  }

  /// The reason why a subject can only have the values of its kind; nil if the step does not decide it.
  func reason(of subject: Expectation.Subject) -> String? {
    if case .field(let name) = subject { reasons[name] } else { nil }
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
    isStream ? ["count", "rate"] + times.map(\.rawValue) : []
  }

  /// Whether the step has many values, which functions and captures use as a whole.
  var isStream: Bool { kind == .stream || kind == .poll }

  /// Whether the captured value has a part as a whole.
  func has(_ part: KeptPart) -> Bool { part.word == .bytes ? hasOctets : isStream }

  /// Whether the step has a value to compare.
  var isOfValue: Bool { isUnknown || !names.isEmpty }

  /// All names, for errors; formats come last.
  var names: [String] {
    if kind == .scan { return ["count"] }
    let own = fields + (hasOctets ? ["value"] : []) + measures
    return hasOctets && !isOnlyNumber ? own + ValueFormat.names : own
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
    if isStream, case .success(let total)? = total(name) { return .total(total) }
    guard hasOctets else { return nil }
    if name == "value" { return .value }
    guard !isOnlyNumber else { return nil }
    return ValueFormat(name).map { .format($0) } ?? (isOpen ? .field(name) : nil)
  }
}

extension Subjects {
  /// The check with what is known of its subject: the width of a counter.
  func completed(_ check: Check, of subject: Expectation.Subject) -> Check {
    guard isOfUser, case .counts(var rule) = check,
      case .number(_, let range?, isWhole: true)? = kind(of: subject), range.lowerBound == 0,
      range.upperBound < 0x1p53
    else { return check }
    let size = UInt64(range.upperBound) + 1
    guard size.nonzeroBitCount == 1 else { return check }
    rule.fieldBits = size.trailingZeroBitCount
    return .counts(rule)
  }

  /// The problem of a name that the value does not have.
  func problem(about name: String) -> Problem {
    if case .failure(let problem)? = total(name) { return problem }
    return .unknown("the value has no '\(name)'", name, among: names)
  }

  /// The function over all values that a text stands for; nil for a text without brackets.
  private func total(_ text: String) -> Result<Total, Problem>? {
    Total.split(text).map { function, arguments in
      Result { () throws(Problem) in try total(function, arguments, text) }
    }
  }

  private func total(
    _ name: String, _ arguments: [String], _ text: String
  ) throws(Problem) -> Total {
    guard isStream else {
      throw Problem("'\(text)' needs many values, and the step has only one")
    }
    guard let function = Total.functions.first(where: { $0.rawValue == name }) else {
      let known = Total.functions.map(\.rawValue)
      throw .unknown("unknown function '\(name)' of all values", name, among: known)
    }
    guard arguments.count == 1 || arguments.count == 2 && function.hasChecksums,
      arguments.count == 2 || function != .crc16
    else {
      throw Problem("'\(text)' has the wrong number of arguments", expected: function.totalUsage)
    }
    let checksum = arguments.count == 2 ? arguments[1] : nil
    if let checksum, !function.checksumNames.contains(checksum) {
      throw .unknown("unknown checksum '\(checksum)'", checksum, among: function.checksumNames)
    }
    let (isOctets, part) = (arguments[0] == Total.bytes && hasOctets, arguments[0])
    guard let subject = isOctets ? Total.octets : subject(part), !subject.isOfWholeStream else {
      throw .unknown(
        "the value has no '\(part)'", part,
        among: fields + (hasOctets ? ["value", Total.bytes] : [])
      )
    }
    let total = Total(function: function, checksum: checksum, part: subject)
    if let problem = total.problem(with: kind(of: subject)) { throw problem }
    return total
  }

  /// The problem of a text in a file that is a comparison in the one-line form, such as `percent >
  /// 20`; nil for other texts.
  func problem(ofLineForm text: String) -> Problem? {
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

extension Total {
  /// The kind of the result, from that of the part.
  fileprivate func kind(of part: ValueKind?) -> ValueKind? {
    switch function {
    case .min, .max, .mean:
      guard case .number(_, let range, let isWhole)? = part else { return .number(orText: false) }
      return .number(orText: false, in: range, isWhole: isWhole && function != .mean)
    case .sum:
      guard case .number(_, _, let isWhole)? = part else { return .number(orText: false) }
      return .number(orText: false, isWhole: isWhole)
    case .distinct: return .number(orText: false, in: 0...(.infinity), isWhole: true)
    case .sum8, .xor8, .crc8: return .number(orText: false, in: 0...255, isWhole: true)
    case .crc16: return .number(orText: false, in: 0...65_535, isWhole: true)
    case .crc32: return .number(orText: false, in: 0...4_294_967_295, isWhole: true)
    case .len, .abs, .round, .hex: return nil
    }
  }

  /// The problem of a part of the wrong kind; nil where it fits, or is unknown.
  fileprivate func problem(with part: ValueKind?) -> Problem? {
    guard let kind = part.map({ Expression.Kind($0) }), function != .distinct else { return nil }
    let fits = function.takesOctets ? kind == .octets || kind == .text : kind.isNumber
    guard !fits else { return nil }
    return Problem(
      "'\(self.part)' is \(kind.shown)", expected: function.takesOctets ? "bytes" : "numbers"
    )
  }
}

extension ExpressionFunction {
  /// How it is written as a subject.
  fileprivate var totalUsage: String {
    switch self {
    case .crc16: "crc16(bytes, modbus)"
    case .crc8, .crc32, .sum8, .xor8: "\(rawValue)(bytes)"
    case .min, .max, .sum, .mean, .distinct, .len, .abs, .round, .hex: "\(rawValue)(field)"
    }
  }
}

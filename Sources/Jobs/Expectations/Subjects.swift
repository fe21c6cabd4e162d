// Which names an expectation about a step's value may use.

import Bluetooth

/// The names that mean something for the value of one step.
struct Subjects {
  /// The fields that the decoded value can have.
  let fields: [String]
  private let isListening: Bool
  /// Whether the value has octets, which formats can be read from.
  private let hasOctets: Bool

  /// The names for the devices that a scan found.
  static let scanned = Subjects()

  private let isScan: Bool

  private init() {
    fields = []
    isListening = false
    hasOctets = false
    isScan = true
  }

  /// The names for a characteristic.
  ///
  /// - Parameters:
  ///   - format: The format given for its value, which then has no fields.
  ///   - isListening: Whether many values come, which have a count and a rate.
  init(of selector: CharacteristicSelector, format: ValueFormat?, isListening: Bool) {
    let isPlain = format != nil || selector.handle != nil
    fields = isPlain ? [] : StandardValues.fieldNames(of: selector.characteristic)
    self.isListening = isListening
    hasOctets = true
    isScan = false
  }

  private init(fields: [String]) {
    self.fields = fields
    isListening = false
    hasOctets = false
    isScan = false
  }

  /// The names for the strength of a link.
  static let ofLink = Subjects(fields: LinkStrength.fieldNames)

  /// The names for the timing of a link.
  static let ofTiming = Subjects(fields: ConnectionParameters.fieldNames)

  /// Every name, for complaints; formats last.
  var names: [String] {
    if isScan { return ["count"] }
    guard hasOctets else { return fields }
    return fields + ["value"] + (isListening ? ["count", "rate"] : []) + ValueFormat.names
  }

  /// What a name means; nil when it means nothing here.
  func subject(_ name: String) -> Expectation.Subject? {
    if isScan { return name == "count" ? .count : nil }
    if fields.contains(name) { return .field(name) }
    guard hasOctets else { return nil }
    switch name {
    case "value": return .value
    case "count" where isListening: return .count
    case "rate" where isListening: return .rate
    default: return ValueFormat(name).map { .format($0) }
    }
  }
}

extension Step {
  /// The fields that the step's value may have.
  var fields: [String] {
    switch action {
    case .read(let target, let format):
      Subjects(of: target, format: format, isListening: false).fields
    case .notify(let listening):
      Subjects(of: listening.target, format: listening.format, isListening: true).fields
    case .exchange(let exchanging):
      Subjects(of: exchanging.answer, format: exchanging.format, isListening: false).fields
    case .rssi: Subjects.ofLink.fields
    case .attribute(.parameters): Subjects.ofTiming.fields
    case .scan: Scanning.fields
    default: []
    }
  }
}

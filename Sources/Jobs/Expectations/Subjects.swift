// Which names an expectation about a step's value may use.

import Bluetooth

/// The names that mean something for the value of one step.
struct Subjects {
  /// The fields that the decoded value can have.
  let fields: [String]
  private let isListening: Bool

  /// The names for a characteristic.
  ///
  /// - Parameters:
  ///   - format: The format given for its value, which then has no fields.
  ///   - isListening: Whether many values come, which have a count and a rate.
  init(of selector: CharacteristicSelector, format: ValueFormat?, isListening: Bool) {
    let isPlain = format != nil || selector.handle != nil
    fields = isPlain ? [] : StandardValues.fieldNames(of: selector.characteristic)
    self.isListening = isListening
  }

  /// Every name, for complaints; formats last.
  var names: [String] {
    fields + ["value"] + (isListening ? ["count", "rate"] : []) + ValueFormat.names
  }

  /// What a name means; nil when it means nothing here.
  func subject(_ name: String) -> Expectation.Subject? {
    if fields.contains(name) { return .field(name) }
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
    default: []
    }
  }
}

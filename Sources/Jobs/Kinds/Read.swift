// `read`: reads a characteristic.

import Bluetooth

struct ReadStep: StepKind {
  var target = CharacteristicSelector.unread
  var offset = 0
  var format: ValueFormat?

  static let verb = StepVerb.read
  static let documentation = "reads a characteristic"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let titleKeys = 2
  static let keys: [Key<Self>] = [
    Key("read", \.target, .characteristic, .target, documentation: "the characteristic"),
    Key("offset", \.offset, .offset, default: 0, documentation: "the first byte to read"),
    Key(
      "format",
      \.format,
      .format,
      documentation: "the format of the value; by default that of its specification"
    ),
  ]

  var action: Step.Action { .read(target, offset: offset, format: format) }
  /// The rest of a value is not what its characteristic promises.
  var subjects: Subjects? {
    offset == 0 ? Subjects(of: target, format: format, kind: .single) : .plain
  }
  var characteristic: CharacteristicSelector? { target }
  var doing: String { "reading \(target)" }
}

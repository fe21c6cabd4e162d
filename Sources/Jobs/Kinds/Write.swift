// `write`: writes a characteristic.

import Bluetooth

extension Write: StepKind {
  init() { self.init(.nothing, to: .unread) }

  static let verb = StepVerb.write
  static let documentation = "writes a characteristic"
  static let common: [StepKey] = [.expectFailure, .timeout]
  static let titleKeys = 5
  static let keys: [Key<Write>] = [
    Key("write", \.target, .characteristic, .target, documentation: "the characteristic"),
    .value(\.value),
    .writeKind(\.kind),
    .writeOffset(\.offset),
    Key(
      "delivery",
      \.delivery,
      .choice(),
      default: .call,
      documentation: "how the value reaches bluetoothd"
    ),
  ]
  static let rules: [KeyRule<Write>] = [
    .values(blamed: ["offset", "delivery"]) { write, _ in write.contradiction }
  ]

  var action: Step.Action { .write(self) }
  var characteristic: CharacteristicSelector? { target }
  var doing: String { "writing \(target)" }
}

extension Key {
  /// `value`: what is written.
  static func value(_ path: any WritableKeyPath<Owner, WrittenValue> & Sendable) -> Key {
    let documentation = "a value in a format, or a list of such values"
    return Key("value", path, .written, .parts, documentation: documentation)
  }

  /// `kind`: the kind of write.
  static func writeKind(_ path: any WritableKeyPath<Owner, WriteKind> & Sendable) -> Key {
    Key(
      "kind",
      path,
      .writeKind,
      default: .automatic,
      .writeKind,
      documentation: "the kind of write"
    )
  }

  /// `offset`: where in the attribute a write begins.
  static func writeOffset(_ path: any WritableKeyPath<Owner, Int> & Sendable) -> Key {
    Key("offset", path, .offset, default: 0, documentation: "the first byte to write")
  }
}

extension Shape where Value == WriteKind {
  /// The kind of write.
  fileprivate static var writeKind: Self { .choice("automatic: as the characteristic allows.") }
}

extension LineForm {
  /// The kind of write: the word alone.
  fileprivate static var writeKind: LineForm {
    .bare(WriteKind.allCases.map(\.rawValue), what: "a kind of write")
  }
}

extension Write: CustomStringConvertible {
  /// In the one-line form, without the verb.
  public var description: String { words(Self.keys).joined(separator: " ") }
}

extension Write {
  /// Why the write is invalid for any device; nil for a valid one.
  var contradiction: Complaint? {
    if delivery == .acquire, kind != .automatic, kind != .command {
      return Complaint(
        "'delivery: acquire' supports only commands",
        expected: "no \(kind.rawValue), or no 'delivery: acquire'"
      )
    }
    guard offset > 0 else { return nil }
    if kind == .command || delivery == .acquire {
      return Complaint(
        "a write without response cannot have an offset",
        expected: "a request, or no offset"
      )
    }
    let end = offset + value.octets.count
    guard end > WrittenValue.longest else { return nil }
    return Complaint(
      "the value would end at byte \(end), but an attribute has at most \(WrittenValue.longest)"
    )
  }
}

// The gateways of a fleet that may run the job of a device.

import Documents

/// The gateways of a fleet that may run the job of a device. Without a fleet it has no effect.
public struct Placement: Hashable, Sendable {
  /// The only gateway that may run the job; nil for any.
  public var pin: String?
  /// The gateway that runs the job if it observes the device; nil for no preference.
  public var prefer: String?

  /// Creates a placement without settings: the gateway that observes the device best runs the job.
  public init() {}

  /// The description of a valid gateway name, for errors.
  static let gatewayShape = "the name of a gateway: \(MemberName.expected)"

  /// Returns this placement, with unset values replaced by those of `common`.
  func or(_ common: Placement) -> Placement {
    var both = self
    both.pin = pin ?? common.pin
    both.prefer = prefer ?? common.prefer
    return both
  }

  /// The lines of a dry run, one for each setting.
  var lines: [String] {
    [pin.map { "pin       \($0)" }, prefer.map { "prefer    \($0)" }].compactMap(\.self)
  }
}

extension Placement: Described {
  static let keys: [Key<Self>] = [
    Key("pin", \.pin, .gateway, "the only gateway of a fleet that may run it"),
    Key(
      "prefer",
      \.prefer,
      .gateway,
      "the gateway of a fleet that runs it where it observes the device"
    ),
  ]
}

/// The rules for the name of a fleet's gateway.
package enum MemberName {
  /// The maximum length, in bytes.
  package static let longest = 64
  /// The description of a valid name, for errors.
  package static let expected = "up to \(longest) letters, digits, '-' and '_'"

  /// Whether the name is 1 to 64 ASCII letters, digits, `-` and `_`.
  package static func isValid(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= longest
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
  }
}

extension Shape where Value == String {
  fileprivate static var gateway: Self {
    let schema: JSONValue = [
      "type": "string", "pattern": .string("^[A-Za-z0-9_-]{1,\(MemberName.longest)}$"),
    ]
    return Shape(Placement.gatewayShape, schema: schema, words: { [$0] }) { node, _ in
      node.text.flatMap { MemberName.isValid($0) ? $0 : nil }
    }
  }
}

// Where the job of a device may run, when a fleet runs a batch.

import Documents

/// Which gateways of a fleet run the job of a device. Without a fleet it has no meaning.
public struct Placement: Hashable, Sendable {
  /// The only gateway that may run it; nil for any.
  public var pin: String?
  /// The gateway that runs it where it observes the device; nil for none.
  public var prefer: String?

  /// No wish: the gateway that observes the device best runs its job.
  public init() {}

  /// What a gateway is named by, for errors.
  static let gatewayShape = "the name of a gateway: \(MemberName.expected)"

  /// These wishes, and where there is none, those for all devices.
  func or(_ common: Placement) -> Placement {
    var both = self
    both.pin = pin ?? common.pin
    both.prefer = prefer ?? common.prefer
    return both
  }

  /// For a dry run, a line for each wish.
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

/// What a member of a fleet may be called.
package enum MemberName {
  /// The greatest length, in bytes.
  package static let longest = 64
  /// What a name is, for errors.
  package static let expected = "up to \(longest) letters, digits, '-' and '_'"

  /// Whether a text is not empty, not too long, and has only letters, digits, `-` and `_`.
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

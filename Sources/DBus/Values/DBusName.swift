// The syntax of names on a bus.
//
// Checks of text only: whether a name has an owner or a member exists is known to the bus.

/// A name, path or other text that violates the rules of the specification.
public struct DBusNameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the text was meant to be.
  public enum Kind: String, Sendable {
    /// The name of a connection: `org.bluez`, `:1.7`.
    case busName = "bus name"
    /// The name of an interface: `org.bluez.Device1`.
    case interface = "interface name"
    /// The name of a method, property or signal: `Connect`.
    case member = "member name"
    /// The name of an error: `org.bluez.Error.Failed`.
    case errorName = "error name"
    /// The path of an object: `/org/bluez/hci0`.
    case objectPath = "object path"
  }

  /// What the text was meant to be.
  public let kind: Kind
  /// The text.
  public let text: String
  /// Which rule it violates.
  public let reason: String

  public var description: String { "'\(text)' is not a valid \(kind.rawValue): \(reason)" }
}

/// The rules for names.
///
/// - Source: D-Bus Specification 0.41, "Valid Names" and "Valid Object Paths".
package enum DBusName {
  /// The maximum length of a name, in octets. Object paths have no limit.
  package static let maximumLength = 255

  /// Checks a unique (`:1.42`) or well-known (`org.bluez`) bus name.
  package static func checkBusName(_ name: String) throws(DBusNameError) {
    let isUnique = name.utf8.first == UInt8(ascii: ":")
    try check(
      isUnique ? name.dropFirst() : name[...],
      of: name,
      .busName,
      allowed: [.hyphen],
      digitMayLead: isUnique,
      least: 2
    )
  }

  /// Checks an interface name: `org.bluez.Device1`.
  package static func checkInterface(_ name: String) throws(DBusNameError) {
    try check(name[...], of: name, .interface, least: 2)
  }

  /// Checks an error name: `org.bluez.Error.Failed`.
  package static func checkErrorName(_ name: String) throws(DBusNameError) {
    try check(name[...], of: name, .errorName, least: 2)
  }

  /// Checks the name of a method, signal or property: `GetAll`.
  package static func checkMember(_ name: String) throws(DBusNameError) {
    try check(name[...], of: name, .member, least: 1, most: 1)
  }

  /// Whether this is a unique name, assigned by the bus to one connection: `:1.42`.
  package static func isUnique(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ":") }

  private struct Extra: OptionSet {
    let rawValue: UInt8
    static let hyphen = Extra(rawValue: 1)
  }

  private static func check(
    _ elements: Substring,
    of name: String,
    _ kind: DBusNameError.Kind,
    allowed: Extra = [],
    digitMayLead: Bool = false,
    least: Int,
    most: Int = .max
  ) throws(DBusNameError) {
    func fault(_ reason: String) -> DBusNameError {
      DBusNameError(kind: kind, text: name, reason: reason)
    }
    guard name.utf8.count <= maximumLength else {
      throw fault("it is longer than \(maximumLength) bytes")
    }
    guard !elements.isEmpty else { throw fault("it is empty") }
    var count = 1
    var atStart = true
    for octet in elements.utf8 {
      switch octet {
      case UInt8(ascii: "."):
        guard !atStart else { throw fault("an element is empty") }
        count += 1
        atStart = true
        continue
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard !atStart || digitMayLead else { throw fault("an element begins with a digit") }
      case UInt8(ascii: "-") where allowed.contains(.hyphen): break
      default:
        guard isWordCharacter(octet) else { throw fault("a character is not allowed in it") }
      }
      atStart = false
    }
    guard !atStart else { throw fault("an element is empty") }
    guard count >= least else { throw fault("it has no dot") }
    guard count <= most else { throw fault("it has a dot") }
  }

  /// Whether an octet is one of `A-Z a-z 0-9 _`.
  static func isWordCharacter(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

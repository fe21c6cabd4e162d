// A name that a user gives a UUID, and the rules for such names.

/// A name for the UUID of a service, a characteristic or a descriptor.
///
/// Letters, digits, `-` and `_`, beginning with a letter; case is ignored. A name never looks like
/// a UUID or an address. Only a name that is valid in a single file may be the assigned name of
/// another UUID.
public struct AttributeName: Hashable, Sendable {
  /// The maximum length of a name, in bytes.
  public static let longest = 64

  /// The name as it is written.
  public let name: String
  /// The UUID that it names, of an attribute of any kind.
  public let uuid: BluetoothUUID

  /// A name for a UUID.
  ///
  /// - Throws: ``InvalidAttributeName`` for a text that is not a name, or already has a meaning.
  public init(_ name: String, _ uuid: BluetoothUUID) throws(InvalidAttributeName) {
    try self.init(name, uuid, mayShadow: false)
  }

  /// A name for a UUID.
  ///
  /// - Parameter mayShadow: Whether it may be the assigned name of another UUID.
  init(_ name: String, _ uuid: BluetoothUUID, mayShadow: Bool) throws(InvalidAttributeName) {
    try Self.check(name)
    self.name = name
    self.uuid = uuid
    if !mayShadow, let shadowed { throw shadowed }
  }

  /// The assigned meaning of this name, if that is another UUID.
  package var shadowed: InvalidAttributeName? {
    for kind in AttributeKind.allCases {
      guard let assigned = kind.table.uuid(name), assigned != uuid else { continue }
      return .assigned(name, to: assigned, kind)
    }
    return nil
  }

  /// Checks the spelling of a name.
  static func check(_ name: String) throws(InvalidAttributeName) {
    if BluetoothUUID(name) != nil { throw .uuid(name) }
    if BluetoothAddress(name) != nil { throw .address(name) }
    guard Self.isName(name) else { throw .malformed(name) }
  }

  static func isName(_ text: String) -> Bool {
    guard (1...longest).contains(text.utf8.count), text.utf8.first?.isASCIILetter == true else {
      return false
    }
    return text.utf8.allSatisfy { octet in
      octet.isASCIILetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
        || octet == UInt8(ascii: "-") || octet == UInt8(ascii: "_")
    }
  }
}

/// The reason why a text is not a name for a UUID.
public enum InvalidAttributeName: Error, Hashable, Sendable, CustomStringConvertible {
  /// Other characters, or too many.
  case malformed(String)
  /// A UUID: `beef`.
  case uuid(String)
  /// The address of a device.
  case address(String)
  /// The assigned name of another UUID.
  case assigned(String, to: BluetoothUUID, AttributeKind)

  /// The valid names, for errors.
  public static let expected =
    "a name of letters, digits, - and _ that begins with a letter, of at most "
    + "\(AttributeName.longest) bytes"

  public var description: String {
    switch self {
    case .malformed(let name): "expected \(Self.expected), found '\(name)'"
    case .uuid(let name): "'\(name)' is a UUID, and not a name"
    case .address(let name): "'\(name)' is an address, and not a name"
    case .assigned(let name, let uuid, let kind):
      "'\(name)' is the assigned name of the \(kind.rawValue) \(uuid)"
    }
  }
}

extension UInt8 {
  fileprivate var isASCIILetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}

// The path of an object: type `o`.

/// A valid object path: `/`, or elements of `[A-Za-z0-9_]` with a `/` before each.
///
/// - Source: D-Bus Specification 0.41, "Valid Object Paths".
public struct ObjectPath: Hashable, Comparable, Sendable {
  /// The path as text.
  public let text: String

  /// Validates a path.
  ///
  /// A literal needs no `try`: an invalid one stops the program.
  ///
  /// ```swift
  /// let adapter = "hci0"
  /// let path = try ObjectPath("/org/bluez/\(adapter)")
  /// ```
  ///
  /// - Throws: ``DBusNameError`` for an invalid path.
  public init(_ text: String) throws(DBusNameError) {
    try DBusName.check(text, as: .objectPath)
    self.text = text
  }

  /// An unchecked path, which must be valid.
  init(valid text: String) { self.text = text }

  /// `/`
  public static let root = ObjectPath(valid: "/")

  /// Appends an element.
  ///
  /// ```swift
  /// let path = try ObjectPath("/org/bluez").appending("hci0")  // /org/bluez/hci0
  /// ```
  ///
  /// - Throws: ``DBusNameError`` if `element` is empty or has an invalid character.
  public func appending(_ element: String) throws(DBusNameError) -> ObjectPath {
    let path = isRoot ? "/\(element)" : "\(text)/\(element)"
    guard !element.utf8.contains(UInt8(ascii: "/")) else {
      throw DBusNameError(kind: .objectPath, text: path)
    }
    return try ObjectPath(path)
  }

  /// The path without its last element; nil for the root.
  public var parent: ObjectPath? {
    guard !isRoot, let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return slash == text.startIndex ? .root : ObjectPath(valid: String(text[..<slash]))
  }

  /// The last element; empty for the root.
  public var lastElement: String {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
    return String(text[text.utf8.index(after: slash)...])
  }

  /// Whether this is `/`.
  public var isRoot: Bool { text.utf8.count == 1 }

  /// Whether this path is below `other`. No path is below itself.
  ///
  /// ```swift
  /// let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
  /// print(device.isBelow("/org/bluez/hci0"))  // true
  /// ```
  public func isBelow(_ other: ObjectPath) -> Bool {
    if other.isRoot { return !isRoot }
    let length = other.text.utf8.count
    return text.utf8.count > length && text.hasPrefix(other.text)
      && text.utf8[text.utf8.index(text.startIndex, offsetBy: length)] == UInt8(ascii: "/")
  }

  public static func < (left: ObjectPath, right: ObjectPath) -> Bool { left.text < right.text }
}

extension ObjectPath: ExpressibleByStringLiteral {
  /// A path literal.
  ///
  /// - Precondition: It is valid.
  public init(stringLiteral text: String) {
    do {
      try self.init(text)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

extension ObjectPath: CustomStringConvertible {
  public var description: String { text }
}

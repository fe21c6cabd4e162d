// The signature of values: type `g`.

import CDBus

/// A valid sequence of complete types; may be empty.
///
/// - Source: D-Bus Specification 0.41, "Type System" and "Valid Signatures".
package struct Signature: Hashable, Sendable {
  /// The signature as text: `a{sv}`.
  package let text: String

  /// Validates a signature.
  ///
  /// A literal needs no `try`: an invalid one stops the program.
  ///
  /// - Throws: ``DBusNameError`` if it is malformed or exceeds a limit: 255 bytes, 32 nested
  ///   arrays, 32 nested structures.
  package init(_ text: String) throws(DBusNameError) {
    try DBusName.check(text, as: .signature)
    self.text = text
  }

  /// An unchecked signature, which must be valid.
  init(valid text: String) { self.text = text }

  /// The empty signature.
  package static let empty = Signature(valid: "")

  /// Whether it has no type.
  package var isEmpty: Bool { text.utf8.isEmpty }

  /// Whether this is exactly one complete type.
  package var isSingle: Bool { dbus_signature_validate_single(text, nil) != 0 }

  /// Whether this is exactly one basic type: not a container.
  package var isBasic: Bool {
    guard text.utf8.count == 1, let code = text.utf8.first else { return false }
    return dbus_type_is_basic(Int32(code)) != 0
  }
}

extension Signature: ExpressibleByStringLiteral {
  /// A signature literal.
  ///
  /// - Precondition: It is valid.
  package init(stringLiteral text: String) {
    do {
      try self.init(text)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

extension Signature: CustomStringConvertible {
  package var description: String { text }
}

// Errors of values that cannot be sent on a bus.

/// A value that D-Bus does not permit in a container or a message.
package enum DBusValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An element of an array, or a part of a dictionary entry, does not have the declared type.
  case typeMismatch(expected: Signature, found: Signature, index: Int)
  /// The type given for elements, keys or values is not one complete type.
  case notOneType(Signature)
  /// The key type of a dictionary is a container.
  case keyNotBasic(Signature)
  /// A structure has no field.
  case emptyStructure
  /// An array of bytes is not ``DBusValue/bytes(_:)``.
  case octetsAreBytes
  /// A type is malformed or nested too deeply.
  case signature(DBusNameError)
  /// A string contains a NUL character, which D-Bus does not permit.
  case containsNUL(String)
  /// More than 64 nested containers, variants included.
  case tooDeep
  /// An array is longer than 64 MiB, or a message longer than 128 MiB.
  case tooLarge
  /// A descriptor was released, or closed, before it was sent.
  case descriptorGone

  /// The maximum nesting depth of containers in a message.
  package static let maximumDepth = 64
  /// The maximum size of an array, in bytes of its marshalled elements.
  package static let maximumArrayLength = 1 << 26

  /// Checks the type of a container or of a message.
  static func check(_ signature: String) throws(DBusValueError) {
    do {
      try DBusName.check(signature, as: .signature)
    } catch {
      throw .signature(error)
    }
  }

  package var description: String {
    switch self {
    case .typeMismatch(let expected, let found, let index):
      "element \(index) has the type '\(found)' where '\(expected)' was expected"
    case .notOneType(let signature): "'\(signature)' is not one complete type"
    case .keyNotBasic(let signature): "'\(signature)' cannot be the key of a dictionary"
    case .emptyStructure: "a structure needs at least one field"
    case .octetsAreBytes: "a byte array must be DBusValue.bytes"
    case .signature(let error): error.description
    case .containsNUL: "a string has a NUL character"
    case .tooDeep: "more than \(Self.maximumDepth) nested containers"
    case .tooLarge: "an array or message is too large for a bus"
    case .descriptorGone: "a file descriptor is not open any more"
    }
  }
}

extension DBusValue {
  /// Checks the rules that Swift's types do not enforce: NUL in strings, and the nesting depth.
  ///
  /// Every wire checks this before it sends.
  func checkSendable(depth: Int = 0) throws(DBusValueError) {
    guard depth <= DBusValueError.maximumDepth else { throw .tooDeep }
    switch self {
    case .string(let text):
      if text.utf8.contains(0) { throw .containsNUL(text) }
    case .bytes(let octets):
      if octets.count > DBusValueError.maximumArrayLength { throw .tooLarge }
    case .array(let array):
      for element in array.elements { try element.checkSendable(depth: depth + 1) }
    case .dictionary(let dictionary):
      for (key, value) in dictionary.entries {
        try key.checkSendable(depth: depth + 2)
        try value.checkSendable(depth: depth + 2)
      }
    case .structure(let structure):
      for field in structure.fields { try field.checkSendable(depth: depth + 1) }
    case .variant(let variant): try variant.value.checkSendable(depth: depth + 1)
    case .unixFD(let descriptor):
      if descriptor.descriptor < 0 { throw .descriptorGone }
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .objectPath,
      .signature:
      break
    }
  }
}

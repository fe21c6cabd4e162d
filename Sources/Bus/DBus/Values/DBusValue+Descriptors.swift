// File descriptors inside values.

extension DBusValue {
  /// Whether the value contains a descriptor.
  package var hasDescriptor: Bool {
    switch self {
    case .unixFD: true
    case .array(let array):
      array.elementSignature.text.utf8.contains(where: {
        $0 == UInt8(ascii: "h") || $0 == UInt8(ascii: "v")
      })
        && array.elements.contains(where: \.hasDescriptor)
    case .dictionary(let dictionary): dictionary.entries.contains { $0.value.hasDescriptor }
    case .structure(let structure): structure.fields.contains(where: \.hasDescriptor)
    case .variant(let variant): variant.value.hasDescriptor
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string,
      .objectPath, .signature, .bytes:
      false
    }
  }

  /// The value with a copy of each descriptor.
  func duplicatingDescriptors() throws(UnixFD.DuplicationFailed) -> DBusValue {
    guard hasDescriptor else { return self }
    switch self {
    case .unixFD(let descriptor): return .unixFD(try descriptor.duplicate())
    case .array(let array):
      return .array(DBusArray(valid: array.elementSignature, try Self.duplicating(array.elements)))
    case .dictionary(let dictionary):
      let values = try Self.duplicating(dictionary.entries.map(\.value))
      let entries = zip(dictionary.entries, values).map { (key: $0.key, value: $1) }
      return .dictionary(DBusDictionary(valid: dictionary.signature, entries))
    case .structure(let structure):
      return .structure(DBusStructure(valid: try Self.duplicating(structure.fields)))
    case .variant(let variant):
      return .variant(DBusVariant(try variant.value.duplicatingDescriptors()))
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string,
      .objectPath, .signature, .bytes:
      return self
    }
  }

  static func duplicating(_ values: [DBusValue]) throws(UnixFD.DuplicationFailed) -> [DBusValue] {
    var copies: [DBusValue] = []
    for value in values { copies.append(try value.duplicatingDescriptors()) }
    return copies
  }
}

extension Message {
  /// The message with a copy of each descriptor: sender and receiver close theirs independently.
  func duplicatingDescriptors() throws -> Message {
    guard body.contains(where: \.hasDescriptor) else { return self }
    return replacingBody(try DBusValue.duplicating(body))
  }
}

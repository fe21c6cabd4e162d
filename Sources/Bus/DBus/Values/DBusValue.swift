// A value of any D-Bus type, and its conversions from and to Swift types.

/// One value with its type.
///
/// - Source: D-Bus Specification 0.41, "Type System".
package enum DBusValue: Hashable, Sendable {
  /// `y`
  case byte(UInt8)
  /// `b`
  case boolean(Bool)
  /// `n`
  case int16(Int16)
  /// `q`
  case uint16(UInt16)
  /// `i`
  case int32(Int32)
  /// `u`
  case uint32(UInt32)
  /// `x`
  case int64(Int64)
  /// `t`
  case uint64(UInt64)
  /// `d`
  case double(Double)
  /// `s`
  case string(String)
  /// `o`
  case objectPath(ObjectPath)
  /// `g`
  case signature(Signature)
  /// `h`
  case unixFD(UnixFD)
  /// `ay`; an array of bytes must use this case.
  case bytes([UInt8])
  /// Any other array that is not a dictionary.
  case array(DBusArray)
  /// `a{…}`
  case dictionary(DBusDictionary)
  /// `(…)`
  case structure(DBusStructure)
  /// `v`
  indirect case variant(DBusVariant)
}

extension DBusValue {
  /// The type: one complete type.
  package var signature: Signature {
    switch self {
    case .byte: .init(valid: "y")
    case .boolean: .init(valid: "b")
    case .int16: .init(valid: "n")
    case .uint16: .init(valid: "q")
    case .int32: .init(valid: "i")
    case .uint32: .init(valid: "u")
    case .int64: .init(valid: "x")
    case .uint64: .init(valid: "t")
    case .double: .init(valid: "d")
    case .string: .init(valid: "s")
    case .objectPath: .init(valid: "o")
    case .signature: .init(valid: "g")
    case .unixFD: .init(valid: "h")
    case .bytes: .init(valid: "ay")
    case .array(let array): array.signature
    case .dictionary(let dictionary): dictionary.signature
    case .structure(let structure): structure.signature
    case .variant: .init(valid: "v")
    }
  }

  /// The content of nested variants; the value itself if it is not a variant.
  package var unwrapped: DBusValue {
    var value = self
    while case .variant(let variant) = value { value = variant.value }
    return value
  }
}

extension Signature {
  /// The types of several values, concatenated.
  ///
  /// The sender checks the limit of 255 bytes.
  init(joining values: [DBusValue]) {
    if values.count == 1 {
      self = values[0].signature
    } else {
      var text = ""
      for value in values { text += value.signature.text }
      self.init(valid: text)
    }
  }
}

// MARK: From Swift values

extension DBusValue {
  /// `as`
  package static func strings(_ texts: [String]) -> DBusValue {
    .array(DBusArray(valid: Signature(valid: "s"), texts.map { .string($0) }))
  }

  /// `ao`
  package static func objectPaths(_ paths: [ObjectPath]) -> DBusValue {
    .array(DBusArray(valid: Signature(valid: "o"), paths.map { .objectPath($0) }))
  }

  /// `a{sv}`
  package static func properties(_ properties: PropertyMap) -> DBusValue {
    .dictionary(
      DBusDictionary(
        valid: Signature(valid: "a{sv}"),
        properties.entries.map { (key: .string($0.name), value: .variant(DBusVariant($0.value))) }
      )
    )
  }

  /// `v`, with the given content.
  package static func variant(of value: DBusValue) -> DBusValue { .variant(DBusVariant(value)) }

  /// An array of any type; ``bytes(_:)`` for the element type `y`.
  ///
  /// - Throws: The errors of ``DBusArray/init(_:_:)``.
  package static func array(
    of element: Signature, _ elements: [DBusValue]
  ) throws(DBusValueError) -> DBusValue {
    guard element.text == "y" else { return .array(try DBusArray(element, elements)) }
    var octets: [UInt8] = []
    octets.reserveCapacity(elements.count)
    for (index, value) in elements.enumerated() {
      guard case .byte(let octet) = value else {
        throw .typeMismatch(expected: element, found: value.signature, index: index)
      }
      octets.append(octet)
    }
    return .bytes(octets)
  }

  /// A dictionary of any type.
  ///
  /// - Throws: The errors of ``DBusDictionary/init(key:value:_:)``.
  package static func dictionary(
    key: Signature, value: Signature, _ entries: [(DBusValue, DBusValue)]
  ) throws(DBusValueError) -> DBusValue {
    .dictionary(try DBusDictionary(key: key, value: value, entries))
  }

  /// A structure.
  ///
  /// - Throws: The errors of ``DBusStructure/init(_:)``.
  package static func structure(of fields: [DBusValue]) throws(DBusValueError) -> DBusValue {
    .structure(try DBusStructure(fields))
  }
}

// MARK: To Swift values

// Each accessor unwraps variants, and returns nil for another type.
extension DBusValue {
  /// The value of `y`.
  package var asByte: UInt8? {
    if case .byte(let value) = unwrapped { value } else { nil }
  }

  /// The value of `b`.
  package var asBool: Bool? {
    if case .boolean(let value) = unwrapped { value } else { nil }
  }

  /// The value of `n`.
  package var asInt16: Int16? {
    if case .int16(let value) = unwrapped { value } else { nil }
  }

  /// The value of `q`.
  package var asUInt16: UInt16? {
    if case .uint16(let value) = unwrapped { value } else { nil }
  }

  /// The value of `i`.
  package var asInt32: Int32? {
    if case .int32(let value) = unwrapped { value } else { nil }
  }

  /// The value of `u`.
  package var asUInt32: UInt32? {
    if case .uint32(let value) = unwrapped { value } else { nil }
  }

  /// The value of `t`.
  package var asUInt64: UInt64? {
    if case .uint64(let value) = unwrapped { value } else { nil }
  }

  /// The text of `s`.
  package var asString: String? {
    if case .string(let value) = unwrapped { value } else { nil }
  }

  /// The path of `o`.
  package var asObjectPath: ObjectPath? {
    if case .objectPath(let value) = unwrapped { value } else { nil }
  }

  /// The descriptor of `h`.
  package var asUnixFD: UnixFD? {
    if case .unixFD(let value) = unwrapped { value } else { nil }
  }

  /// The bytes of `ay`.
  package var asBytes: [UInt8]? {
    if case .bytes(let value) = unwrapped { value } else { nil }
  }

  /// The elements of an array that is neither `ay` nor a dictionary.
  package var asArray: [DBusValue]? {
    if case .array(let value) = unwrapped { value.elements } else { nil }
  }

  /// The dictionary of `a{…}`.
  package var asDictionary: DBusDictionary? {
    if case .dictionary(let value) = unwrapped { value } else { nil }
  }

  /// The fields of a structure.
  package var asStructure: [DBusValue]? {
    if case .structure(let value) = unwrapped { value.fields } else { nil }
  }

  /// The texts of `as`.
  package var asStrings: [String]? {
    guard case .array(let array) = unwrapped, array.elementSignature.text == "s" else { return nil }
    return array.elements.compactMap(\.asString)
  }

  /// The paths of `ao`.
  package var asObjectPaths: [ObjectPath]? {
    guard case .array(let array) = unwrapped, array.elementSignature.text == "o" else { return nil }
    return array.elements.compactMap(\.asObjectPath)
  }

  /// The entries of `a{sv}`, with unwrapped variants.
  package var asPropertyMap: PropertyMap? {
    guard case .dictionary(let dictionary) = unwrapped, dictionary.signature.text == "a{sv}" else {
      return nil
    }
    return PropertyMap(dictionary)
  }
}

// MARK: File descriptors

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

  /// The value with a duplicate of each descriptor.
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

// MARK: Text

extension DBusValue {
  /// The value in a short form: `"a"`, `[1, 2]`, `{"a": <1>}`, `0x0102`.
  package var text: String {
    switch self {
    case .byte(let number): "\(number)"
    case .boolean(let truth): "\(truth)"
    case .int16(let number): "\(number)"
    case .uint16(let number): "\(number)"
    case .int32(let number): "\(number)"
    case .uint32(let number): "\(number)"
    case .int64(let number): "\(number)"
    case .uint64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): text.debugDescription
    case .objectPath(let path): path.text
    case .signature(let signature): "'\(signature.text)'"
    case .unixFD: "fd"
    case .bytes(let octets): "0x" + octets.map(Self.digits).joined()
    case .array(let array): "[" + array.elements.map(\.text).joined(separator: ", ") + "]"
    case .dictionary(let dictionary): "{" + Self.text(of: dictionary) + "}"
    case .structure(let structure):
      "(" + structure.fields.map(\.text).joined(separator: ", ") + ")"
    case .variant(let variant): "<\(variant.value.text)>"
    }
  }

  private static func text(of dictionary: DBusDictionary) -> String {
    dictionary.entries.map { "\($0.key.text): \($0.value.text)" }.joined(separator: ", ")
  }

  private static func digits(_ octet: UInt8) -> String {
    (octet < 16 ? "0" : "") + String(octet, radix: 16)
  }
}

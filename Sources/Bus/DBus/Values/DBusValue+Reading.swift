// D-Bus values as Swift values. Each accessor unwraps variants, and is nil for another type.

extension DBusValue {
  /// The octet of `y`.
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
  ///
  /// A variant counts as the value that it holds; the other accessors do the same.
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

  /// The octets of `ay`.
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

  /// The entries of `a{sv}`, without the variants.
  package var asPropertyMap: PropertyMap? {
    guard case .dictionary(let dictionary) = unwrapped, dictionary.signature.text == "a{sv}" else {
      return nil
    }
    return PropertyMap(dictionary)
  }
}

// D-Bus values as Swift values. Each accessor unwraps variants, and is nil for another type.

extension DBusValue {
  /// The octet of `y`.
  public var asByte: UInt8? {
    if case .byte(let value) = unwrapped { value } else { nil }
  }

  /// The value of `b`.
  public var asBool: Bool? {
    if case .boolean(let value) = unwrapped { value } else { nil }
  }

  /// The value of `n`.
  public var asInt16: Int16? {
    if case .int16(let value) = unwrapped { value } else { nil }
  }

  /// The value of `q`.
  public var asUInt16: UInt16? {
    if case .uint16(let value) = unwrapped { value } else { nil }
  }

  /// The value of `i`.
  public var asInt32: Int32? {
    if case .int32(let value) = unwrapped { value } else { nil }
  }

  /// The value of `u`.
  public var asUInt32: UInt32? {
    if case .uint32(let value) = unwrapped { value } else { nil }
  }

  /// The value of `t`.
  public var asUInt64: UInt64? {
    if case .uint64(let value) = unwrapped { value } else { nil }
  }

  /// The text of `s`.
  ///
  /// A variant counts as the value that it holds; the other accessors do the same.
  ///
  /// ```swift
  /// let identity = try await bus.call(BusDriver.identityCall).body.first?.asString
  /// ```
  public var asString: String? {
    if case .string(let value) = unwrapped { value } else { nil }
  }

  /// The path of `o`.
  public var asObjectPath: ObjectPath? {
    if case .objectPath(let value) = unwrapped { value } else { nil }
  }

  /// The descriptor of `h`.
  public var asUnixFD: UnixFD? {
    if case .unixFD(let value) = unwrapped { value } else { nil }
  }

  /// The octets of `ay`.
  public var asBytes: [UInt8]? {
    if case .bytes(let value) = unwrapped { value } else { nil }
  }

  /// The elements of an array that is neither `ay` nor a dictionary.
  public var asArray: [DBusValue]? {
    if case .array(let value) = unwrapped { value.elements } else { nil }
  }

  /// The dictionary of `a{…}`.
  public var asDictionary: DBusDictionary? {
    if case .dictionary(let value) = unwrapped { value } else { nil }
  }

  /// The fields of a structure.
  public var asStructure: [DBusValue]? {
    if case .structure(let value) = unwrapped { value.fields } else { nil }
  }

  /// The texts of `as`.
  ///
  /// ```swift
  /// let uuids = properties["UUIDs"]?.asStrings ?? []
  /// ```
  public var asStrings: [String]? {
    guard case .array(let array) = unwrapped, array.elementSignature.text == "s" else { return nil }
    return array.elements.compactMap(\.asString)
  }

  /// The paths of `ao`.
  public var asObjectPaths: [ObjectPath]? {
    guard case .array(let array) = unwrapped, array.elementSignature.text == "o" else { return nil }
    return array.elements.compactMap(\.asObjectPath)
  }

  /// The entries of `a{sv}`, without the variants.
  ///
  /// ```swift
  /// let reply = try await bus.call(
  ///   MethodCall(
  ///     StandardInterface.getAll, "org.bluez.Adapter1", on: "/org/bluez/hci0", of: "org.bluez"))
  /// print(reply.body.first?.asPropertyMap?["Powered"]?.asBool ?? false)
  /// ```
  public var asPropertyMap: PropertyMap? {
    guard case .dictionary(let dictionary) = unwrapped, dictionary.signature.text == "a{sv}" else {
      return nil
    }
    return PropertyMap(dictionary)
  }
}

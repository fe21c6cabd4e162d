// D-Bus values from Swift values.

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

  /// `v`, around a value.
  package static func variant(of value: DBusValue) -> DBusValue { .variant(DBusVariant(value)) }

  /// An array of any type; ``bytes(_:)`` when the element type is an octet.
  ///
  /// - Throws: What ``DBusArray/init(_:_:)`` throws.
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
  /// - Throws: What ``DBusDictionary/init(key:value:_:)`` throws.
  package static func dictionary(
    key: Signature, value: Signature, _ entries: [(DBusValue, DBusValue)]
  ) throws(DBusValueError) -> DBusValue {
    .dictionary(try DBusDictionary(key: key, value: value, entries))
  }

  /// A structure.
  ///
  /// - Throws: What ``DBusStructure/init(_:)`` throws.
  package static func structure(of fields: [DBusValue]) throws(DBusValueError) -> DBusValue {
    .structure(try DBusStructure(fields))
  }
}

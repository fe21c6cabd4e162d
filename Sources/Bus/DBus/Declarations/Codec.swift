// Codecs between D-Bus values and Swift values.
//
// A value, not a conformance of Swift types: a byte array and an array of strings would conflict, a
// dictionary of variants cannot be derived, and Swift's dictionaries are unordered.

/// A D-Bus type, with its conversion to and from a Swift type.
package struct Codec<Value: Sendable>: Sendable {
  /// The type on the bus: one complete type.
  package let signature: Signature
  /// Decodes a value; nil if it has another type or is not allowed.
  package let decode: @Sendable (DBusValue) -> Value?
  /// Encodes a value.
  package let encode: @Sendable (Value) -> DBusValue

  /// A codec for D-Bus values of one signature.
  package init(
    _ signature: Signature, decode: @escaping @Sendable (DBusValue) -> Value?,
    encode: @escaping @Sendable (Value) -> DBusValue
  ) {
    self.signature = signature
    self.decode = decode
    self.encode = encode
  }
}

extension Codec<Bool> {
  /// `b`
  package static var boolean: Codec { Codec("b", decode: \.asBool) { .boolean($0) } }
}

extension Codec<UInt8> {
  /// `y`
  package static var byte: Codec { Codec("y", decode: \.asByte) { .byte($0) } }
}

extension Codec<Int16> {
  /// `n`
  package static var int16: Codec { Codec("n", decode: \.asInt16) { .int16($0) } }
}

extension Codec<UInt16> {
  /// `q`
  package static var uint16: Codec { Codec("q", decode: \.asUInt16) { .uint16($0) } }
}

extension Codec<UInt32> {
  /// `u`
  package static var uint32: Codec { Codec("u", decode: \.asUInt32) { .uint32($0) } }
}

extension Codec<String> {
  /// `s`
  package static var string: Codec { Codec("s", decode: \.asString) { .string($0) } }
}

extension Codec<[String]> {
  /// `as`
  package static var strings: Codec { Codec("as", decode: \.asStrings) { .strings($0) } }
}

extension Codec<ObjectPath> {
  /// `o`
  package static var objectPath: Codec { Codec("o", decode: \.asObjectPath) { .objectPath($0) } }
}

extension Codec<[ObjectPath]> {
  /// `ao`
  package static var objectPaths: Codec {
    Codec("ao", decode: \.asObjectPaths) { .objectPaths($0) }
  }
}

extension Codec<[UInt8]> {
  /// `ay`
  package static var bytes: Codec { Codec("ay", decode: \.asBytes) { .bytes($0) } }
}

extension Codec<PropertyMap> {
  /// `a{sv}`
  package static var properties: Codec {
    Codec("a{sv}", decode: \.asPropertyMap) { .properties($0) }
  }
}

extension Codec<UnixFD> {
  /// `h`
  package static var fileDescriptor: Codec { Codec("h", decode: \.asUnixFD) { .unixFD($0) } }
}

extension Codec<DBusValue> {
  /// Values of a D-Bus type without a Swift equivalent.
  package static func value(_ signature: Signature) -> Codec {
    Codec(signature, decode: { $0.signature == signature ? $0 : nil }, encode: { $0 })
  }
}

extension Codec where Value: RawRepresentable, Value.RawValue == String {
  /// `s`, one of the raw values of `Value`.
  package static var text: Codec {
    Codec(
      "s", decode: { $0.asString.flatMap { Value(rawValue: $0) } },
      encode: { .string($0.rawValue) }
    )
  }
}

// How values of one D-Bus type are decoded to Swift values, and encoded from them.
//
// A value, not a conformance of Swift types: an array of octets and an array of strings would
// conflict, a dictionary whose values are variants cannot be derived, and Swift's dictionaries are
// unordered.

/// A D-Bus type, and how Swift represents its values.
public struct Codec<Value: Sendable>: Sendable {
  /// The type on the bus: one complete type.
  public let signature: Signature
  /// Decodes a value; nil when it has another type or is not allowed.
  public let decode: @Sendable (DBusValue) -> Value?
  /// Encodes a value.
  public let encode: @Sendable (Value) -> DBusValue

  /// A coding of a Swift type as a D-Bus value of one signature.
  ///
  /// ```swift
  /// let celsius = Codec<Double>("n", decode: { $0.asInt16.map { Double($0) / 100 } }) {
  ///   .int16(Int16($0 * 100))
  /// }
  /// ```
  public init(
    _ signature: Signature,
    decode: @escaping @Sendable (DBusValue) -> Value?,
    encode: @escaping @Sendable (Value) -> DBusValue
  ) {
    self.signature = signature
    self.decode = decode
    self.encode = encode
  }
}

extension Codec<Bool> {
  /// `b`
  public static var boolean: Codec {
    Codec("b", decode: { $0.asBool }, encode: { .boolean($0) })
  }
}

extension Codec<UInt8> {
  /// `y`
  public static var byte: Codec {
    Codec("y", decode: { $0.asByte }, encode: { .byte($0) })
  }
}

extension Codec<Int16> {
  /// `n`
  public static var int16: Codec {
    Codec("n", decode: { $0.asInt16 }, encode: { .int16($0) })
  }
}

extension Codec<UInt16> {
  /// `q`
  public static var uint16: Codec {
    Codec("q", decode: { $0.asUInt16 }, encode: { .uint16($0) })
  }
}

extension Codec<UInt32> {
  /// `u`
  public static var uint32: Codec {
    Codec("u", decode: { $0.asUInt32 }, encode: { .uint32($0) })
  }
}

extension Codec<String> {
  /// `s`
  public static var string: Codec {
    Codec("s", decode: { $0.asString }, encode: { .string($0) })
  }
}

extension Codec<[String]> {
  /// `as`
  public static var strings: Codec {
    Codec("as", decode: { $0.asStrings }, encode: { .strings($0) })
  }
}

extension Codec<ObjectPath> {
  /// `o`
  public static var objectPath: Codec {
    Codec("o", decode: { $0.asObjectPath }, encode: { .objectPath($0) })
  }
}

extension Codec<[ObjectPath]> {
  /// `ao`
  public static var objectPaths: Codec {
    Codec("ao", decode: { $0.asObjectPaths }, encode: { .objectPaths($0) })
  }
}

extension Codec<[UInt8]> {
  /// `ay`
  public static var bytes: Codec {
    Codec("ay", decode: { $0.asBytes }, encode: { .bytes($0) })
  }
}

extension Codec<PropertyMap> {
  /// `a{sv}`
  public static var properties: Codec {
    Codec("a{sv}", decode: { $0.asPropertyMap }, encode: { .properties($0) })
  }
}

extension Codec<UnixFD> {
  /// `h`
  public static var fileDescriptor: Codec {
    Codec("h", decode: { $0.asUnixFD }, encode: { .unixFD($0) })
  }
}

extension Codec<DBusValue> {
  /// Values of a type that has no Swift representation of its own.
  public static func value(_ signature: Signature) -> Codec {
    Codec(signature, decode: { $0.signature == signature ? $0 : nil }, encode: { $0 })
  }
}

extension Codec where Value: RawRepresentable, Value.RawValue == String {
  /// `s`, one of the raw values of `Value`.
  public static var text: Codec {
    Codec(
      "s",
      decode: { $0.asString.flatMap { Value(rawValue: $0) } },
      encode: { .string($0.rawValue) }
    )
  }
}

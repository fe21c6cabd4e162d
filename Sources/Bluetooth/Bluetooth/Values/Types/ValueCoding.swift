// Conversion between octets and values of a Swift type.

/// Decodes and encodes the value of a characteristic.
///
/// `.u16`, `.utf8` and others are there for plain values; numbers are little-endian unless their name
/// ends with `be`. For anything else there is ``init(decode:encode:)``.
public struct ValueCoding<Value: Sendable>: Sendable {
  private let decoder: @Sendable ([UInt8]) throws(ValueError) -> Value
  private let encoder: @Sendable (Value) throws(ValueError) -> [UInt8]

  /// Describes a format.
  ///
  /// ```swift
  /// let onOff = ValueCoding<Bool> { octets throws(ValueError) in
  ///   guard octets.count == 1 else {
  ///     throw ValueError(field: "state", octet: 0, problem: "expected 1 byte")
  ///   }
  ///   return octets[0] != 0
  /// } encode: { isOn in
  ///   [isOn ? 1 : 0]
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - decode: Decodes octets; the error names the invalid part.
  ///   - encode: Encodes a value that `decode` can return.
  public init(
    decode: @escaping @Sendable ([UInt8]) throws(ValueError) -> Value,
    encode: @escaping @Sendable (Value) throws(ValueError) -> [UInt8]
  ) {
    decoder = decode
    encoder = encode
  }

  /// Decodes octets.
  public func decode(_ octets: [UInt8]) throws(ValueError) -> Value { try decoder(octets) }

  /// Encodes a value.
  public func encode(_ value: Value) throws(ValueError) -> [UInt8] { try encoder(value) }
}

extension ValueCoding where Value: LayoutValue {
  /// The coding of a layout: decoding and encoding are its own.
  init(_ layout: ValueLayout) {
    self.init { octets throws(ValueError) in
      var decoded = try layout.decode(octets)
      // A single quantity is its own value.
      if !(Value.self is any LayoutRecord.Type) { decoded = decoded.only }
      return try Value(decoded, layout.name)
    } encode: { value throws(ValueError) in
      try layout.encode(value.decoded)
    }
  }

  /// The coding of a named format.
  fileprivate static func plain(_ name: String) -> Self {
    guard let format = ValueFormat(name) else { preconditionFailure("unknown format \(name)") }
    return Self { octets throws(ValueError) in
      try Value(try format.decode(octets), name)
    } encode: { value throws(ValueError) in
      try format.encode("\(value.decoded)")
    }
  }
}

extension ValueCoding where Value == Int {
  /// An unsigned number in one octet.
  public static var u8: Self { plain("u8") }
  /// An unsigned number in two octets.
  public static var u16: Self { plain("u16") }
  /// An unsigned number in three octets.
  public static var u24: Self { plain("u24") }
  /// An unsigned number in four octets.
  public static var u32: Self { plain("u32") }
  /// A signed number in one octet.
  public static var i8: Self { plain("i8") }
  /// A signed number in two octets.
  public static var i16: Self { plain("i16") }
  /// A signed number in three octets.
  public static var i24: Self { plain("i24") }
  /// A signed number in four octets.
  public static var i32: Self { plain("i32") }
  /// A signed number in eight octets.
  public static var i64: Self { plain("i64") }
  /// An unsigned number in two octets, the most significant first.
  public static var u16be: Self { plain("u16be") }
  /// An unsigned number in three octets, the most significant first.
  public static var u24be: Self { plain("u24be") }
  /// An unsigned number in four octets, the most significant first.
  public static var u32be: Self { plain("u32be") }
  /// A signed number in two octets, the most significant first.
  public static var i16be: Self { plain("i16be") }
  /// A signed number in three octets, the most significant first.
  public static var i24be: Self { plain("i24be") }
  /// A signed number in four octets, the most significant first.
  public static var i32be: Self { plain("i32be") }
  /// A signed number in eight octets, the most significant first.
  public static var i64be: Self { plain("i64be") }
}

extension ValueCoding where Value == Double {
  /// IEEE 754, 32 bits.
  public static var f32: Self {
    Self { octets throws(ValueError) in
      try Double(try ValueFormat.f32.decode(octets), "f32")
    } encode: { value throws(ValueError) in
      try ValueFormat.f32.encode("\(value)")
    }
  }

  /// IEEE 754, 64 bits.
  public static var f64: Self {
    Self { octets throws(ValueError) in
      try Double(try ValueFormat.f64.decode(octets), "f64")
    } encode: { value throws(ValueError) in
      try ValueFormat.f64.encode("\(value)")
    }
  }

  /// A whole number that counts steps: `.steps(of: 0.01, in: .i16)`.
  ///
  /// A value between two steps is rounded.
  ///
  /// ```swift
  /// print(try ValueCoding<Double>.steps(of: 0.01, in: .u16).decode([0xe8, 0x03]))  // 10.0
  /// ```
  public static func steps(of step: Double, in number: ValueCoding<Int>) -> Self {
    // 57 steps of 0.01 are 57 / 100: 57 × 0.01 is 0.5700000000000001.
    let decimals = (0...9).first { decimals in
      let whole = MedicalFloat.scaled(step, by: decimals).rounded()
      return MedicalFloat.scaled(whole, by: -decimals) == step
    }
    return Self { octets throws(ValueError) in
      let count = Double(try number.decode(octets))
      guard let decimals else { return count * step }
      let whole = MedicalFloat.scaled(step, by: decimals).rounded()
      return MedicalFloat.scaled(count * whole, by: -decimals)
    } encode: { value throws(ValueError) in
      guard let count = Int(exactly: (value / step).rounded()) else {
        throw ValueError(field: "value", octet: 0, problem: "\(value) cannot be sent")
      }
      return try number.encode(count)
    }
  }
}

extension ValueCoding where Value == String {
  /// Text to the end of the value.
  public static var utf8: Self { plain("utf8") }
}

extension ValueCoding where Value == [UInt8] {
  /// The octets as they are.
  public static var bytes: Self {
    Self { octets throws(ValueError) in
      octets
    } encode: { value throws(ValueError) in
      value
    }
  }
}

extension ValueCoding where Value == Bool {
  /// One octet: 0 is false, anything else is true.
  public static var boolean: Self { Self(ValueLayout(bare: "value", .boolean)) }
}

// A value of any D-Bus type.
//
// How it is made from and read as Swift's own types is in DBusValue+Making.swift and
// DBusValue+Reading.swift.

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
  /// `ay`, which has no other representation.
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

  /// The value inside all variants around it; the value itself when it is not a variant.
  package var unwrapped: DBusValue {
    var value = self
    while case .variant(let variant) = value { value = variant.value }
    return value
  }
}

extension Signature {
  /// The types of several values, concatenated.
  ///
  /// Not checked against the limit of 255 octets: the sender does that.
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

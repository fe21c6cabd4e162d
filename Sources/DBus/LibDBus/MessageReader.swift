// Reads values from a libdbus message.
//
// libdbus has validated every message that it delivers, so nothing is checked twice here.

import CDBus
import Glibc

/// Reads the values of one message.
enum MessageReader {
  /// The arguments of a message.
  ///
  /// - Throws: ``DBusError`` with the name `LimitsExceeded` when the process has no file descriptor
  ///   left to receive one.
  static func body(of message: OpaquePointer) throws(DBusError) -> [DBusValue] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
    // The result of reading an attribute, which is a third of the calls.
    if let text = dbus_message_get_signature(message), strcmp(text, "ay") == 0 {
      var inside = recursed(&iterator)
      return [.bytes(bytes(&inside))]
    }
    return try values(&iterator)
  }

  /// The values from here to the end of the container.
  private static func values(_ iterator: inout DBusMessageIter) throws(DBusError) -> [DBusValue] {
    var values: [DBusValue] = []
    var type = dbus_message_iter_get_arg_type(&iterator)
    while type != TypeCode.invalid {
      values.append(try value(of: type, &iterator))
      type =
        dbus_message_iter_next(&iterator) != 0
        ? dbus_message_iter_get_arg_type(&iterator) : TypeCode.invalid
    }
    return values
  }

  private static func value(
    of type: Int32,
    _ iterator: inout DBusMessageIter
  ) throws(DBusError) -> DBusValue {
    switch type {
    case TypeCode.byte: return .byte(basic(0, &iterator))
    case TypeCode.boolean: return .boolean(basic(dbus_bool_t(0), &iterator) != 0)
    case TypeCode.int16: return .int16(basic(0, &iterator))
    case TypeCode.uint16: return .uint16(basic(0, &iterator))
    case TypeCode.int32: return .int32(basic(0, &iterator))
    case TypeCode.uint32: return .uint32(basic(0, &iterator))
    case TypeCode.int64: return .int64(basic(0, &iterator))
    case TypeCode.uint64: return .uint64(basic(0, &iterator))
    case TypeCode.double: return .double(basic(0, &iterator))
    case TypeCode.string: return .string(string(&iterator))
    case TypeCode.objectPath: return .objectPath(ObjectPath(valid: string(&iterator)))
    case TypeCode.signature: return .signature(Signature(valid: string(&iterator)))
    case TypeCode.unixFD:
      // libdbus returns a duplicate, which we own.
      let descriptor = basic(Int32(-1), &iterator)
      guard descriptor >= 0 else {
        throw DBusError(name: .limitsExceeded, message: "No file descriptor is left to receive one")
      }
      return .unixFD(UnixFD(owning: descriptor))
    case TypeCode.array: return try array(&iterator)
    case TypeCode.structure:
      var inside = recursed(&iterator)
      return .structure(DBusStructure(valid: try values(&inside)))
    case TypeCode.variant:
      var inside = recursed(&iterator)
      let type = dbus_message_iter_get_arg_type(&inside)
      return .variant(DBusVariant(try value(of: type, &inside)))
    default:
      preconditionFailure("libdbus delivered the unknown type code \(type)")
    }
  }

  private static func basic<T: BitwiseCopyable>(
    _ initial: T,
    _ iterator: inout DBusMessageIter
  ) -> T {
    var value = initial
    dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private static func string(_ iterator: inout DBusMessageIter) -> String {
    var characters: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &characters)
    return characters.map { String(cString: $0) } ?? ""
  }

  private static func recursed(_ iterator: inout DBusMessageIter) -> DBusMessageIter {
    var inside = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inside)
    return inside
  }

  private static func array(_ iterator: inout DBusMessageIter) throws(DBusError) -> DBusValue {
    let elementType = dbus_message_iter_get_element_type(&iterator)
    var inside = recursed(&iterator)
    if elementType == TypeCode.byte { return .bytes(bytes(&inside)) }
    if elementType == TypeCode.entry {
      let type = signature(&iterator)
      return .dictionary(DBusDictionary(valid: type, try entries(&inside)))
    }
    let type =
      if let code = UInt8(exactly: elementType), SignatureParser.isBasic(code) {
        Signature(valid: String(Unicode.Scalar(code)))
      } else {
        signature(&inside)
      }
    return .array(DBusArray(valid: type, try values(&inside)))
  }

  private static func bytes(_ inside: inout DBusMessageIter) -> [UInt8] {
    var start: UnsafePointer<UInt8>?
    var count: Int32 = 0
    dbus_message_iter_get_fixed_array(&inside, &start, &count)
    guard let start, count > 0 else { return [] }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  private static func entries(
    _ inside: inout DBusMessageIter
  ) throws(DBusError) -> [(key: DBusValue, value: DBusValue)] {
    var entries: [(key: DBusValue, value: DBusValue)] = []
    while dbus_message_iter_get_arg_type(&inside) != TypeCode.invalid {
      var entry = recursed(&inside)
      let key = try value(of: dbus_message_iter_get_arg_type(&entry), &entry)
      dbus_message_iter_next(&entry)
      entries.append((key, try value(of: dbus_message_iter_get_arg_type(&entry), &entry)))
      dbus_message_iter_next(&inside)
    }
    return entries
  }

  /// The type at the iterator, also when it has no value.
  private static func signature(_ iterator: inout DBusMessageIter) -> Signature {
    guard let text = dbus_message_iter_get_signature(&iterator) else { return .empty }
    defer { dbus_free(text) }
    return Signature(valid: String(cString: text))
  }
}

// Reads values from a libdbus message.
//
// libdbus has validated every message that it delivers, so only sizes are checked here.

import CDBus
import Glibc

/// Reads the values of one message.
enum MessageReader {
  /// Reads the arguments of a message.
  ///
  /// - Parameter values: Receives the arguments, up to the first refused one.
  /// - Throws: ``DBusError`` with the name `LimitsExceeded` if the process has no free file
  ///   descriptor for one in the message, and `MessageTooLarge` if the budget is exhausted.
  static func read(
    _ message: OpaquePointer, _ budget: inout ReadBudget, into values: inout [DBusValue]
  ) throws(DBusError) {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return }
    // Fast path: the reply to reading an attribute, a third of all calls.
    if let text = dbus_message_get_signature(message), strcmp(text, "ay") == 0 {
      var inside = recursed(&iterator)
      values.append(.bytes(try bytes(&inside, &budget)))
      return
    }
    try read(&iterator, &budget, into: &values)
  }

  /// The values from here to the end of the container.
  private static func values(
    _ iterator: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> [DBusValue] {
    var values: [DBusValue] = []
    try read(&iterator, &budget, into: &values)
    return values
  }

  private static func read(
    _ iterator: inout DBusMessageIter, _ budget: inout ReadBudget, into values: inout [DBusValue]
  ) throws(DBusError) {
    var type = dbus_message_iter_get_arg_type(&iterator)
    while type != TypeCode.invalid {
      values.append(try value(of: type, &iterator, &budget))
      type =
        dbus_message_iter_next(&iterator) != 0
        ? dbus_message_iter_get_arg_type(&iterator) : TypeCode.invalid
    }
  }

  private static func value(
    of type: Int32, _ iterator: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> DBusValue {
    try budget.countValue()
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
    case TypeCode.string: return .string(try string(&iterator, &budget))
    case TypeCode.objectPath: return .objectPath(ObjectPath(valid: try string(&iterator, &budget)))
    case TypeCode.signature: return .signature(Signature(valid: try string(&iterator, &budget)))
    case TypeCode.unixFD:
      // libdbus returns a duplicate, whose owner is the caller.
      let descriptor = basic(Int32(-1), &iterator)
      guard descriptor >= 0 else {
        throw DBusError(name: .limitsExceeded, message: "No file descriptor is left to receive one")
      }
      return .unixFD(UnixFD(owning: descriptor))
    case TypeCode.array: return try array(&iterator, &budget)
    case TypeCode.structure:
      var inside = recursed(&iterator)
      return .structure(DBusStructure(valid: try values(&inside, &budget)))
    case TypeCode.variant:
      var inside = recursed(&iterator)
      let type = dbus_message_iter_get_arg_type(&inside)
      let content = try budget.insideVariant {
        (budget: inout ReadBudget) throws(DBusError) -> DBusValue in
        try value(of: type, &inside, &budget)
      }
      return .variant(DBusVariant(content))
    default:
      preconditionFailure("libdbus delivered the unknown type code \(type)")
    }
  }

  private static func basic<T: BitwiseCopyable>(
    _ initial: T, _ iterator: inout DBusMessageIter
  ) -> T {
    var value = initial
    dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private static func string(
    _ iterator: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> String {
    var characters: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &characters)
    guard let characters else { return "" }
    try budget.count(octets: strlen(characters), of: "a text")
    return String(cString: characters)
  }

  private static func recursed(_ iterator: inout DBusMessageIter) -> DBusMessageIter {
    var inside = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inside)
    return inside
  }

  private static func array(
    _ iterator: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> DBusValue {
    let elementType = dbus_message_iter_get_element_type(&iterator)
    var inside = recursed(&iterator)
    if elementType == TypeCode.byte { return .bytes(try bytes(&inside, &budget)) }
    if elementType == TypeCode.entry {
      let type = signature(&iterator)
      return .dictionary(DBusDictionary(valid: type, try entries(&inside, &budget)))
    }
    let type =
      if dbus_type_is_basic(elementType) != 0 {
        Signature(valid: String(Unicode.Scalar(UInt8(elementType))))
      } else {
        signature(&inside)
      }
    return .array(DBusArray(valid: type, try values(&inside, &budget)))
  }

  private static func bytes(
    _ inside: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> [UInt8] {
    var start: UnsafePointer<UInt8>?
    var count: Int32 = 0
    dbus_message_iter_get_fixed_array(&inside, &start, &count)
    guard let start, count > 0 else { return [] }
    try budget.count(octets: Int(count), of: "an array")
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  private static func entries(
    _ inside: inout DBusMessageIter, _ budget: inout ReadBudget
  ) throws(DBusError) -> [(key: DBusValue, value: DBusValue)] {
    var entries: [(key: DBusValue, value: DBusValue)] = []
    while dbus_message_iter_get_arg_type(&inside) != TypeCode.invalid {
      var entry = recursed(&inside)
      let key = try value(of: dbus_message_iter_get_arg_type(&entry), &entry, &budget)
      dbus_message_iter_next(&entry)
      let type = dbus_message_iter_get_arg_type(&entry)
      entries.append((key, try value(of: type, &entry, &budget)))
      dbus_message_iter_next(&inside)
    }
    return entries
  }

  /// The type at the iterator, even if it has no value.
  private static func signature(_ iterator: inout DBusMessageIter) -> Signature {
    guard let text = dbus_message_iter_get_signature(&iterator) else { return .empty }
    defer { dbus_free(text) }
    return Signature(valid: String(cString: text))
  }
}

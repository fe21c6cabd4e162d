// Writes values to a libdbus message.
//
// libdbus aborts the program on a violation of its rules. So this checks every rule that Swift's
// types do not enforce.

import CDBus
import Glibc

/// Appends values to one message.
struct MessageWriter {
  /// The maximum size of a body, in bytes: a low estimate, the maximum size of an array.
  static let limit = DBusValueError.maximumArrayLength

  private var octets = 0

  private init() {}

  /// Appends the arguments of a message.
  ///
  /// - Throws: ``DBusValueError``. The message is unusable after that.
  static func append(_ values: [DBusValue], to message: OpaquePointer) throws(DBusValueError) {
    guard !values.isEmpty else { return }
    if values.count > 1 { try DBusValueError.check(Signature(joining: values).text) }
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(message, &iterator)
    var writer = MessageWriter()
    for value in values { try writer.append(value, to: &iterator, depth: 0) }
  }

  private mutating func append(
    _ value: DBusValue, to iterator: inout DBusMessageIter, depth: Int
  ) throws(DBusValueError) {
    switch value {
    case .byte(let value): try basic(value, TypeCode.byte, &iterator)
    case .boolean(let value):
      try basic(dbus_bool_t(value ? 1 : 0), TypeCode.boolean, &iterator)
    case .int16(let value): try basic(value, TypeCode.int16, &iterator)
    case .uint16(let value): try basic(value, TypeCode.uint16, &iterator)
    case .int32(let value): try basic(value, TypeCode.int32, &iterator)
    case .uint32(let value): try basic(value, TypeCode.uint32, &iterator)
    case .int64(let value): try basic(value, TypeCode.int64, &iterator)
    case .uint64(let value): try basic(value, TypeCode.uint64, &iterator)
    case .double(let value): try basic(value, TypeCode.double, &iterator)
    case .string(let text): try string(text, TypeCode.string, &iterator)
    case .objectPath(let path): try string(path.text, TypeCode.objectPath, &iterator)
    case .signature(let signature): try string(signature.text, TypeCode.signature, &iterator)
    case .unixFD(let descriptor): try self.descriptor(descriptor, &iterator)
    case .bytes(let octets): try bytes(octets, &iterator, depth)
    case .array(let array):
      try container(TypeCode.array, array.elementSignature.text, &iterator, depth) {
        (writer, inside) throws(DBusValueError) in
        for element in array.elements {
          try writer.append(element, to: &inside, depth: depth + 1)
        }
      }
    case .dictionary(let dictionary): try self.dictionary(dictionary, &iterator, depth)
    case .structure(let structure):
      try container(TypeCode.structure, nil, &iterator, depth) {
        (writer, inside) throws(DBusValueError) in
        for field in structure.fields { try writer.append(field, to: &inside, depth: depth + 1) }
      }
    case .variant(let variant):
      try container(TypeCode.variant, variant.value.signature.text, &iterator, depth) {
        (writer, inside) throws(DBusValueError) in
        try writer.append(variant.value, to: &inside, depth: depth + 1)
      }
    }
  }

  private mutating func count(_ size: Int) throws(DBusValueError) {
    octets += size
    if octets > Self.limit { throw .tooLarge }
  }

  private mutating func basic<T: BitwiseCopyable>(
    _ value: T, _ type: Int32, _ iterator: inout DBusMessageIter
  ) throws(DBusValueError) {
    try count(MemoryLayout<T>.size)
    var value = value
    guard dbus_message_iter_append_basic(&iterator, type, &value) != 0 else { throw .tooLarge }
  }

  private mutating func string(
    _ text: String, _ type: Int32, _ iterator: inout DBusMessageIter
  ) throws(DBusValueError) {
    let length = text.utf8.count
    try count(length + 1)
    enum Outcome { case appended, hasNUL, full }
    let outcome: Outcome = text.withCString { characters in
      guard strlen(characters) == length else { return .hasNUL }
      var characters: UnsafePointer<CChar>? = characters
      return dbus_message_iter_append_basic(&iterator, type, &characters) != 0 ? .appended : .full
    }
    switch outcome {
    case .appended: break
    case .hasNUL: throw .containsNUL(text)
    case .full: throw .tooLarge
    }
  }

  /// libdbus duplicates the descriptor.
  private mutating func descriptor(
    _ descriptor: UnixFD, _ iterator: inout DBusMessageIter
  ) throws(DBusValueError) {
    var number = descriptor.descriptor
    guard number >= 0, fcntl(number, F_GETFD) >= 0 else { throw .descriptorGone }
    guard dbus_message_iter_append_basic(&iterator, TypeCode.unixFD, &number) != 0 else {
      throw .descriptorGone
    }
  }

  private mutating func bytes(
    _ octets: [UInt8], _ iterator: inout DBusMessageIter, _ depth: Int
  ) throws(DBusValueError) {
    try count(octets.count)
    try container(TypeCode.array, "y", &iterator, depth) { (_, inside) throws(DBusValueError) in
      let isAppended = octets.withUnsafeBufferPointer { buffer in
        guard var start = buffer.baseAddress, !buffer.isEmpty else { return true }
        return dbus_message_iter_append_fixed_array(
          &inside,
          TypeCode.byte,
          &start,
          Int32(buffer.count)
        ) != 0
      }
      if !isAppended { throw .tooLarge }
    }
  }

  private mutating func dictionary(
    _ dictionary: DBusDictionary, _ iterator: inout DBusMessageIter, _ depth: Int
  ) throws(DBusValueError) {
    let entrySignature = String(dictionary.signature.text.dropFirst())
    try container(TypeCode.array, entrySignature, &iterator, depth) {
      (writer, inside) throws(DBusValueError) in
      for (key, value) in dictionary.entries {
        try writer.container(TypeCode.entry, nil, &inside, depth + 1) {
          (writer, entry) throws(DBusValueError) in
          try writer.append(key, to: &entry, depth: depth + 2)
          try writer.append(value, to: &entry, depth: depth + 2)
        }
      }
    }
  }

  private mutating func container(
    _ type: Int32, _ signature: String?, _ iterator: inout DBusMessageIter, _ depth: Int,
    _ fill: (inout MessageWriter, inout DBusMessageIter) throws(DBusValueError) -> Void
  ) throws(DBusValueError) {
    guard depth < DBusValueError.maximumDepth else { throw .tooDeep }
    try count(4)
    var inside = DBusMessageIter()
    guard dbus_message_iter_open_container(&iterator, type, signature, &inside) != 0 else {
      throw .tooLarge
    }
    do {
      try fill(&self, &inside)
    } catch {
      dbus_message_iter_abandon_container(&iterator, &inside)
      throw error
    }
    guard dbus_message_iter_close_container(&iterator, &inside) != 0 else { throw .tooLarge }
  }
}

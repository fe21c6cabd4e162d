// Every type through libdbus's marshaller and back, without a bus.

import CDBus
import Glibc
import Testing

@testable import DBus

@Suite("Marshalling")
struct LibDBusRoundTripTests {
  func roundTrip(_ message: Message) throws -> Message {
    try MarshalledMessage.roundTrip(message)
  }

  static func values() throws -> [DBusValue] {
    [
      .byte(.max), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min),
      .uint32(.max), .int64(.min), .uint64(.max), .double(-0.1), .double(.infinity), .string(""),
      .string("größer 🛰"), .objectPath("/"), .objectPath("/org/bluez"), .signature(""),
      .signature("a{sv}"), .bytes([]), .bytes([0, 1, 255]),
      .bytes([UInt8](repeating: 7, count: 70_000)), .strings([]), .strings(["a", ""]),
      .objectPaths([]), .objectPaths(["/a"]), try .array(of: "d", [.double(1), .double(2)]),
      try .array(of: "ay", [.bytes([1]), .bytes([])]), try .array(of: "ay", []),
      try .array(of: "a{sv}", []), try .array(of: "a{sv}", [.properties(["a": .byte(1)])]),
      try .array(of: "(ii)", []), try .array(of: "v", [.variant(of: .byte(1))]),
      try .structure(of: [.byte(1), .structure(of: [.string("a"), .bytes([1])])]),
      .variant(of: .variant(of: .strings(["a"]))), .variant(of: .bytes([])), .properties([:]),
      .properties(["b": .uint16(1), "a": .properties(["x": .bytes([1, 2])])]),
      try .dictionary(key: "q", value: "v", [(.uint16(76), .variant(of: .bytes([2, 21])))]),
      try .dictionary(key: "o", value: "a{sa{sv}}", []),
      try .dictionary(
        key: "o", value: "a{sa{sv}}",
        [
          (
            .objectPath("/a"),
            .dictionary(key: "s", value: "a{sv}", [(.string("i"), .properties(["p": .byte(1)]))])
          )
        ]
      ),
    ]
  }

  @Test("a value of any type survives the round trip", arguments: try values())
  func value(value: DBusValue) throws {
    let message = try Message.signal(path: "/a", interface: "a.b", member: "C", body: [value])
    #expect(try roundTrip(message).body == [value])
  }

  @Test("all values of one message survive the round trip")
  func together() throws {
    let body = try Self.values()
    let message = try Message.signal(path: "/a", interface: "a.b", member: "C", body: body)
    let back = try roundTrip(message)
    #expect(back.body == body)
    #expect(back.signature == message.signature)
  }

  @Test("header fields survive the round trip")
  func header() throws {
    var call = try Message.methodCall(
      destination: "org.bluez", path: "/org", interface: "a.b", member: "C", noReplyExpected: true,
      noAutoStart: true
    )
    call.serial = 5
    #expect(try roundTrip(call) == call)
    var bare = try Message.methodCall(destination: nil, path: "/", interface: nil, member: "C")
    bare.serial = 5
    #expect(try roundTrip(bare) == bare)
    call.sender = ":1.4"
    for var answer in [
      call.reply([.byte(1)]), call.errorReply(DBusError(name: .failed, message: "x")),
    ] {
      answer.serial = 5
      #expect(try roundTrip(answer) == answer)
    }
  }

  @Test("a descriptor arrives as a new descriptor for the same file")
  func descriptor() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let reading = UnixFD(owning: ends[0])
    let writing = UnixFD(owning: ends[1])
    let message = try Message.signal(
      path: "/a", interface: "a.b", member: "C", body: [.unixFD(writing)]
    )
    let copy = try #require(try message.received().body.first?.asUnixFD)
    #expect(copy.descriptor != writing.descriptor)
    close(writing.release())
    var octet: UInt8 = 9
    #expect(write(copy.descriptor, &octet, 1) == 1)
    octet = 0
    #expect(read(reading.descriptor, &octet, 1) == 1)
    #expect(octet == 9)
    #expect(throws: DBusValueError.descriptorGone) {
      _ = try MarshalledMessage.marshalling(message)
    }
  }

  @Test("a value that cannot be sent throws an error and does not abort the program")
  func unsendable() throws {
    func marshal(_ value: DBusValue) throws {
      let message = try Message.signal(path: "/a", interface: "a.b", member: "C", body: [value])
      _ = try MarshalledMessage.marshalling(message)
    }
    var deep = DBusValue.byte(0)
    for _ in 0..<64 { deep = .variant(of: deep) }
    try marshal(deep)
    #expect(throws: DBusValueError.tooDeep) { try marshal(.variant(of: deep)) }
    #expect(throws: DBusValueError.containsNUL("a\0")) { try marshal(.properties(["a\0": deep])) }
    #expect(throws: DBusValueError.tooLarge) {
      try marshal(.bytes([UInt8](repeating: 0, count: DBusValueError.maximumArrayLength + 1)))
    }
  }
}

extension MarshalledMessage {
  /// Marshals a message to octets and back, as a wire does. One with descriptors, which travel
  /// beside the octets, is only read back.
  static func roundTrip(_ message: Message) throws -> Message {
    let marshalled = try marshalling(message)
    if dbus_message_contains_unix_fds(marshalled.pointer) != 0 { return try message.received() }
    dbus_message_set_serial(marshalled.pointer, 5)
    var octets: UnsafeMutablePointer<CChar>?
    var length: Int32 = 0
    try #require(dbus_message_marshal(marshalled.pointer, &octets, &length) != 0)
    defer { dbus_free(octets) }
    let back = try #require(dbus_message_demarshal(octets, length, nil))
    let read = MarshalledMessage(owning: back).read(within: .large)
    return try #require(read)
  }
}

extension ReadLimits {
  /// Limits that no test reaches.
  static var large: ReadLimits {
    var limits = ReadLimits()
    limits.element = 1 << 24
    limits.signal = 1 << 24
    return limits
  }
}

// One bearer of the Attribute Protocol (ATT): the client's requests, and the responses,
// notifications and indications of the device.

import Bluetooth
import SimulatedDevices

/// A parser of the packets of one bearer. It adds what they show to ``AttributeFacts``.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.4 (ATT).
struct AttributeTrace: Sendable {
  /// A request of the client that has no response yet.
  private struct Request: Sendable {
    let opcode: UInt8
    let octets: [UInt8]
    let at: Duration
    /// Whether the connection was encrypted.
    let isEncrypted: Bool
  }

  private var request: Request?
  /// The parts of long writes that are prepared and not executed yet.
  private var prepared: [(handle: UInt16, offset: Int, octets: [UInt8])] = []
  /// The time of the latest response of service discovery. A discovery after the first read or
  /// write does not count.
  private(set) var discovered: Duration?
  private var isUsed = false
  /// The MTU in an Exchange MTU Request of the device.
  private var offeredMTU: UInt16?

  /// The maximum number of prepared parts. A value of 512 octets, the longest, needs fewer.
  private static let mostPrepared = 512

  // MARK: To the device

  mutating func sent(
    _ octets: [UInt8], _ at: Duration, isEncrypted: Bool, _ facts: inout AttributeFacts
  ) {
    guard let opcode = octets.first else { return }
    var reader = PacketReader(octets.dropFirst())
    switch opcode {
    case 0x52, 0xd2:
      // Write Command; Signed Write Command, with a signature of 12 octets.
      guard let handle = reader.uint16() else { return }
      let value = opcode == 0xd2 ? reader.rest.dropLast(12) : reader.rest
      Self.keep(RecordedWrite(handle: handle, octets: Array(value), at: at), &facts)
    case 0x03:
      if let offeredMTU, let own = reader.uint16() { agree(offeredMTU, own, &facts) }
    case 0x02, 0x04, 0x06, 0x08, 0x0a, 0x0c, 0x0e, 0x10, 0x12, 0x16, 0x18, 0x20:
      request = Request(
        opcode: opcode, octets: Array(octets.dropFirst()), at: at, isEncrypted: isEncrypted
      )
    // open: responses of this host, confirmations, and opcodes of the future
    default: break
    }
  }

  // MARK: From the device

  mutating func received(_ octets: [UInt8], _ at: Duration, _ facts: inout AttributeFacts) {
    guard let opcode = octets.first else { return }
    var reader = PacketReader(octets.dropFirst())
    switch opcode {
    case 0x02: offeredMTU = reader.uint16()
    case 0x1b, 0x1d:
      guard let handle = reader.uint16() else { return }
      Self.keep(RecordedValue(handle: handle, octets: reader.remainingBytes(), at: at), &facts)
    case 0x23:
      // Multiple Handle Value Notification: several values, each with its length.
      while let handle = reader.uint16(), let length = reader.uint16(),
        let value = reader.bytes(Int(length))
      {
        Self.keep(RecordedValue(handle: handle, octets: value, at: at), &facts)
      }
    case 0x01:
      guard let asked = reader.uint8(), let handle = reader.uint16(), let code = reader.uint8(),
        let request, request.opcode == asked
      else { return }
      self.request = nil
      // 0 is not an error code, but the request was refused all the same.
      refused(request, handle, code == 0 ? .unlikelyError : ATTErrorCode(rawValue: code), &facts)
    // open: opcodes
    default:
      // The opcode of a response is the opcode of its request plus one.
      guard let request, opcode == request.opcode + 1 else { return }
      self.request = nil
      answered(request, &reader, at, &facts)
    }
  }

  private mutating func refused(
    _ request: Request, _ handle: UInt16, _ error: ATTErrorCode, _ facts: inout AttributeFacts
  ) {
    // The client has to discover the attributes again. The error says nothing about this attribute.
    guard error != .databaseOutOfSync else { return }
    if error == .insufficientAuthentication, request.isEncrypted {
      let isWrite = [0x12, 0x16, 0x18].contains(request.opcode)
      facts.authenticated[handle, default: []].insert(isWrite ? .write : .read)
    }
    var reader = PacketReader(request.octets)
    switch request.opcode {
    case 0x0a:
      if facts.readings[handle] == nil { facts.readings[handle] = .refused(error) }
    case 0x12:
      guard let handle = reader.uint16() else { return }
      Self.keep(
        RecordedWrite(
          handle: handle, octets: reader.remainingBytes(), at: request.at, error: error),
        &facts
      )
    case 0x16:
      prepare(&reader)
      execute(request.at, error, &facts)
    case 0x18: execute(request.at, error, &facts)
    // open: the end of a discovery, and others
    default: break
    }
  }

  private mutating func answered(
    _ request: Request, _ response: inout PacketReader, _ at: Duration,
    _ facts: inout AttributeFacts
  ) {
    var asked = PacketReader(request.octets)
    switch request.opcode {
    case 0x04, 0x06, 0x08, 0x10: if !isUsed { discovered = at }
    case 0x0a, 0x12: isUsed = true
    // open: opcodes
    default: break
    }
    switch request.opcode {
    case 0x02:
      if let own = asked.uint16(), let other = response.uint16() { agree(own, other, &facts) }
    case 0x06:
      // Find By Type Value: the services with one UUID.
      guard asked.bytes(4) != nil, asked.uuid(2) == AttributeFacts.primary,
        let uuid = asked.uuid(asked.rest.count)
      else { return }
      while let start = response.uint16(), let end = response.uint16() {
        facts.learn(.init(end: end, uuid: uuid, isPrimary: true), at: start)
      }
    case 0x10:
      guard let length = response.uint8(), let type = Self.type(&asked) else { return }
      while let group = response.bytes(Int(length)) {
        var group = PacketReader(group)
        guard let start = group.uint16(), let end = group.uint16(),
          let uuid = group.uuid(Int(length) - 4)
        else { break }
        let isPrimary = type == AttributeFacts.primary
        facts.learn(.init(end: end, uuid: uuid, isPrimary: isPrimary), at: start)
      }
    case 0x08:
      guard let length = response.uint8(), length > 2, let type = Self.type(&asked) else { return }
      while let entry = response.bytes(Int(length)) {
        var entry = PacketReader(entry)
        guard let handle = entry.uint16() else { break }
        learn(type, at: handle, &entry, &facts)
      }
    case 0x04:
      guard let format = response.uint8() else { return }
      let size = format == 1 ? 2 : 16
      while let handle = response.uint16(), let uuid = response.uuid(size) {
        let own = [
          AttributeFacts.primary, AttributeFacts.secondary, AttributeFacts.include,
          AttributeFacts.characteristic,
        ]
        if !own.contains(uuid) { facts.types[handle] = uuid }
      }
    case 0x0a:
      guard let handle = asked.uint16() else { return }
      read(response.remainingBytes(), of: handle, at, isEncrypted: request.isEncrypted, &facts)
      took(at - request.at, &facts)
    case 0x20:
      while let handle = asked.uint16(), let length = response.uint16(),
        let octets = response.bytes(Int(length))
      {
        read(octets, of: handle, at, isEncrypted: request.isEncrypted, &facts)
      }
    case 0x0c:
      guard let handle = asked.uint16(), let offset = asked.uint16(), offset < FileLimits.octets
      else { return }
      let octets = response.remainingBytes()
      if let last = facts.reads.last, last.handle == handle, last.octets.count == Int(offset) {
        facts.reads[facts.reads.count - 1] =
          RecordedValue(handle: handle, octets: last.octets + octets, at: at)
      }
      if let earlier = facts.valuesAfterRefusal[handle], earlier.count == Int(offset) {
        facts.valuesAfterRefusal[handle] = earlier + octets
      } else if case .octets(let earlier)? = facts.readings[handle], earlier.count == Int(offset) {
        facts.readings[handle] = .octets(earlier + octets)
      }
    case 0x12:
      guard let handle = asked.uint16() else { return }
      Self.keep(
        RecordedWrite(handle: handle, octets: asked.remainingBytes(), at: request.at), &facts)
      took(at - request.at, &facts)
    case 0x16: prepare(&asked)
    case 0x18:
      if asked.uint8() != 1 { prepared = [] }
      execute(request.at, nil, &facts)
    // open: opcodes that say nothing of use here
    default: break
    }
  }

  private func agree(_ one: UInt16, _ other: UInt16, _ facts: inout AttributeFacts) {
    facts.link.mtu = Int(max(23, min(one, other)))
  }

  /// Records the value of a read. The first value counts.
  ///
  /// After a refused read the value is kept in `valuesAfterRefusal`. But if the refusal demanded
  /// security and this read succeeded without encryption, the refusal no longer counts.
  private func read(
    _ octets: [UInt8], of handle: UInt16, _ at: Duration, isEncrypted: Bool,
    _ facts: inout AttributeFacts
  ) {
    switch facts.readings[handle] {
    case nil: facts.readings[handle] = .octets(octets)
    case .refused(let error)? where WriteConsequences.security.contains(error) && !isEncrypted:
      facts.readings[handle] = .octets(octets)
    case .refused? where facts.valuesAfterRefusal[handle] == nil:
      facts.valuesAfterRefusal[handle] = octets
    case .octets?, .refused?, .unanswered?, .unknown?: break
    }
    if facts.reads.count < RecordedValue.most {
      facts.reads.append(RecordedValue(handle: handle, octets: octets, at: at))
    }
  }

  /// The attribute type in a request, after its two handles.
  private static func type(_ asked: inout PacketReader) -> BluetoothUUID? {
    guard asked.uint16() != nil, asked.uint16() != nil else { return nil }
    return asked.uuid(asked.rest.count)
  }

  private mutating func learn(
    _ type: BluetoothUUID, at handle: UInt16, _ entry: inout PacketReader,
    _ facts: inout AttributeFacts
  ) {
    switch type {
    case AttributeFacts.characteristic:
      guard let properties = entry.uint8(), let value = entry.uint16(),
        let uuid = entry.uuid(entry.rest.count)
      else { return }
      facts.declarations[handle] = .init(value: value, properties: properties, uuid: uuid)
    case AttributeFacts.include:
      guard let start = entry.uint16() else { return }
      facts.includes[handle] = start
      // It may be a secondary service, which not every client discovers.
      if facts.groups[start] == nil, let end = entry.uint16(), let uuid = entry.uuid(2) {
        facts.groups[start] = .init(end: end, uuid: uuid, isPrimary: false)
      }
    // open: a value that was read by its type
    default:
      if facts.readings[handle] == nil { facts.readings[handle] = .octets(entry.remainingBytes()) }
    }
  }

  /// Adds the part of a long write that a Prepare Write Request contains.
  private mutating func prepare(_ asked: inout PacketReader) {
    guard prepared.count < Self.mostPrepared, let handle = asked.uint16(),
      let offset = asked.uint16()
    else { return }
    prepared.append((handle, Int(offset), asked.remainingBytes()))
  }

  /// Records the prepared long writes, which were accepted or refused together.
  private mutating func execute(
    _ at: Duration, _ error: ATTErrorCode?, _ facts: inout AttributeFacts
  ) {
    for handle in Set(prepared.map(\.handle)).sorted() {
      let parts = prepared.filter { $0.handle == handle }
      // A write from an offset does not show the whole value.
      guard parts.first?.offset == 0 else { continue }
      let octets = parts.flatMap(\.octets)
      Self.keep(RecordedWrite(handle: handle, octets: octets, at: at, error: error), &facts)
    }
    prepared = []
  }

  private func took(_ time: Duration, _ facts: inout AttributeFacts) {
    if facts.link.latencies.count < RecordedLink.mostSamples { facts.link.latencies.append(time) }
  }

  private static func keep(_ write: RecordedWrite, _ facts: inout AttributeFacts) {
    if facts.writes.count < RecordedWrite.most { facts.writes.append(write) }
  }

  private static func keep(_ value: RecordedValue, _ facts: inout AttributeFacts) {
    if facts.notifications.count < RecordedValue.most { facts.notifications.append(value) }
  }
}

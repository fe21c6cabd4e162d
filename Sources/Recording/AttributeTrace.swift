// One connection of a trace: what a client asked of a device's attributes, and what came back.

import Bluetooth

/// What was learned of a device's attributes from packets of the Attribute Protocol.
struct AttributeFacts: Sendable {
  struct Declaration: Hashable, Sendable {
    let value: UInt16
    let properties: UInt8
    let uuid: BluetoothUUID
  }

  struct Group: Hashable, Sendable {
    let end: UInt16
    let uuid: BluetoothUUID
    let isPrimary: Bool
  }

  /// By the handle of the declaration.
  var groups: [UInt16: Group] = [:]
  var declarations: [UInt16: Declaration] = [:]
  /// By the handle of the include declaration: that of the included service.
  var includes: [UInt16: UInt16] = [:]
  /// What is neither, by its handle.
  var types: [UInt16: BluetoothUUID] = [:]
  var readings: [UInt16: RecordedReading] = [:]
  /// What was read after a refusal.
  var protected: [UInt16: [UInt8]] = [:]
  var link = RecordedLink()
  var writes: [RecordedWrite] = []
  var notifications: [RecordedValue] = []
  var reads: [RecordedValue] = []
  /// How many packets were cut off by the program that wrote the trace.
  var cut = 0
  /// Whether there were attributes that others have replaced.
  var hasChanged = false
  /// Whether something was exchanged over more channels than the fixed one.
  var hasMoreChannels = false

  static let primary = BluetoothUUID(short: 0x2800)
  static let secondary = BluetoothUUID(short: 0x2801)
  static let include = BluetoothUUID(short: 0x2802)
  static let characteristic = BluetoothUUID(short: 0x2803)

  /// Adds a service; where another one was, the device has changed its attributes from there on.
  fileprivate mutating func learn(_ group: Group, at start: UInt16) {
    if let known = groups[start], known.uuid != group.uuid {
      forget(from: start)
    } else if let known = groups[start], known.end != group.end {
      forget(from: min(known.end, group.end) + 1)
    }
    groups[start] = group
  }

  private mutating func forget(from handle: UInt16) {
    hasChanged = true
    groups = groups.filter { $0.key < handle }
    declarations = declarations.filter { $0.key < handle }
    includes = includes.filter { $0.key < handle }
    types = types.filter { $0.key < handle }
    readings = readings.filter { $0.key < handle }
    protected = protected.filter { $0.key < handle }
    writes.removeAll { $0.handle >= handle }
    notifications.removeAll { $0.handle >= handle }
    reads.removeAll { $0.handle >= handle }
  }

  /// The services, in order of handle.
  ///
  /// A service ends where the next one begins, whatever its own end is: a damaged trace could have
  /// every attribute in every service.
  var services: [RecordedService] {
    let starts = groups.sorted { $0.key < $1.key }
    // What is left of each, in order of handle.
    var included = includes.sorted { $0.key < $1.key }[...]
    var declared = declarations.sorted { $0.key < $1.key }[...]
    var typed = types.sorted { $0.key < $1.key }[...]
    return starts.indices.map { index in
      let (start, group) = starts[index]
      let end = index + 1 < starts.count ? min(group.end, starts[index + 1].key - 1) : group.end
      var service = RecordedService(uuid: group.uuid, handle: start)
      service.isPrimary = group.isPrimary
      let range = start...max(start, end)
      included = included.drop { $0.key < start }
      service.includes = included.prefix { range.contains($0.key) }.map(\.value)
      declared = declared.drop { $0.key < start }
      let inside = Array(declared.prefix { range.contains($0.key) })
      for (place, (handle, declaration)) in inside.enumerated() {
        var one = RecordedCharacteristic(
          uuid: declaration.uuid,
          handle: declaration.value,
          properties: CharacteristicProperties(rawValue: UInt16(declaration.properties))
        )
        one.reading = readings[declaration.value]
        one.protected = protected[declaration.value]
        let last = place + 1 < inside.count ? inside[place + 1].key - 1 : range.upperBound
        typed = typed.drop { $0.key <= handle }
        for (handle, uuid) in typed.prefix(while: { $0.key <= last })
        where handle > declaration.value {
          var descriptor = RecordedDescriptor(uuid: uuid, handle: handle)
          descriptor.reading = readings[handle]
          if uuid == BluetoothUUID(short: 0x2900), case .octets(let octets)? = descriptor.reading {
            // Reliable Write and Writable Auxiliaries.
            let bits = UInt16(octets.first ?? 0) & 3
            one.properties.formUnion(CharacteristicProperties(rawValue: bits << 8))
          }
          one.descriptors.append(descriptor)
        }
        service.characteristics.append(one)
      }
      return service
    }
  }
}

/// The packets of one connection, put together and understood.
///
/// - Source: Bluetooth Core 5.4, Vol 4, Part E §5.4.2 (HCI ACL Data); Vol 3, Part A §3.1 (L2CAP),
///   Part F §3.4 (ATT).
struct AttributeTrace: Sendable {
  /// A request of the client that has no response yet.
  private struct Request: Sendable {
    let opcode: UInt8
    let octets: [UInt8]
    let at: Duration
  }

  /// The beginning of a packet in each direction, and how long it is to be.
  private var partial: [Bool: (octets: [UInt8], length: Int, isCut: Bool)] = [:]
  private var request: Request?
  /// Of long writes, until they are executed.
  private var prepared: [(handle: UInt16, offset: Int, octets: [UInt8])] = []
  private let begun: Duration
  /// When the latest step of the discovery of services ended; what comes after a use is another discovery.
  private var discovered: Duration?
  private var isUsed = false
  /// The MTU of a device that asks for ours.
  private var offeredMTU: UInt16?
  /// Whether one side has asked for more channels.
  private var asksForChannels = false

  init(begun: Duration) { self.begun = begun }

  static let attributeChannel: UInt16 = 4
  private static let signallingChannel: UInt16 = 5
  /// Parts of a long write: of 512 octets, there are fewer.
  private static let mostPrepared = 512

  /// Takes a packet of data.
  mutating func add(_ packet: SnoopFile.Packet, isSent: Bool, to facts: inout AttributeFacts) {
    var reader = PacketReader(packet.octets)
    guard let header = reader.uint16(), reader.uint16() != nil else { return }
    if header >> 12 & 3 == 1 {
      guard var earlier = partial.removeValue(forKey: isSent) else { return }
      earlier.octets += reader.takeRest()
      earlier.isCut = earlier.isCut || packet.isCut
      partial[isSent] = earlier
    } else {
      guard let length = reader.uint16(), let channel = reader.uint16() else { return }
      partial[isSent] = nil
      if channel == Self.signallingChannel { signalled(&reader, &facts) }
      guard channel == Self.attributeChannel else { return }
      partial[isSent] = (reader.takeRest(), Int(length), packet.isCut)
    }
    guard let whole = partial[isSent] else { return }
    if whole.isCut {
      partial[isSent] = nil
      facts.cut += 1
    } else if whole.octets.count >= whole.length {
      partial[isSent] = nil
      let octets = Array(whole.octets.prefix(whole.length))
      if isSent { sent(octets, packet.at, &facts) } else { received(octets, packet.at, &facts) }
    }
  }

  /// Notices the channels that Enhanced ATT opens.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part A §4.22 to §4.26; Part G §5.3.
  private mutating func signalled(_ reader: inout PacketReader, _ facts: inout AttributeFacts) {
    guard let code = reader.uint8(), reader.take(3) != nil else { return }
    switch code {
    case 0x17: asksForChannels = reader.uint16() == 0x27
    case 0x18:
      // The MTU, the MPS, and the credits.
      if asksForChannels, reader.take(6) != nil, reader.uint16() == 0 {
        facts.hasMoreChannels = true
      }
    // open: other signals
    default: break
    }
  }

  // MARK: To the device

  private mutating func sent(_ octets: [UInt8], _ at: Duration, _ facts: inout AttributeFacts) {
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
      request = Request(opcode: opcode, octets: Array(octets.dropFirst()), at: at)
    // open: responses of this host, confirmations, and opcodes of the future
    default: break
    }
  }

  // MARK: From the device

  private mutating func received(_ octets: [UInt8], _ at: Duration, _ facts: inout AttributeFacts) {
    guard let opcode = octets.first else { return }
    var reader = PacketReader(octets.dropFirst())
    switch opcode {
    case 0x02: offeredMTU = reader.uint16()
    case 0x1b, 0x1d:
      guard let handle = reader.uint16() else { return }
      Self.keep(
        RecordedValue(handle: handle, octets: reader.takeRest(), at: at),
        &facts
      )
    case 0x23:
      // Several values at once, each with its length.
      while let handle = reader.uint16(), let length = reader.uint16(),
        let value = reader.take(Int(length))
      {
        Self.keep(RecordedValue(handle: handle, octets: value, at: at), &facts)
      }
    case 0x01:
      guard let asked = reader.uint8(), let handle = reader.uint16(), let code = reader.uint8(),
        let request, request.opcode == asked
      else { return }
      self.request = nil
      // 0 is none: the device means some error.
      refused(request, handle, code == 0 ? .unlikelyError : ATTErrorCode(rawValue: code), &facts)
    // open: opcodes
    default:
      // A response has the opcode of its request and one more.
      guard let request, opcode == request.opcode + 1 else { return }
      self.request = nil
      answered(request, &reader, at, &facts)
    }
  }

  private mutating func refused(
    _ request: Request,
    _ handle: UInt16,
    _ error: ATTErrorCode,
    _ facts: inout AttributeFacts
  ) {
    // The client has to discover the attributes again: that says nothing of this one.
    guard error != .databaseOutOfSync else { return }
    var reader = PacketReader(request.octets)
    switch request.opcode {
    case 0x0a:
      if facts.readings[handle] == nil { facts.readings[handle] = .refused(error) }
    case 0x12:
      guard let handle = reader.uint16() else { return }
      Self.keep(
        RecordedWrite(handle: handle, octets: reader.takeRest(), at: request.at, error: error),
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
    _ request: Request,
    _ response: inout PacketReader,
    _ at: Duration,
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
      // The services of one type.
      guard asked.take(4) != nil, asked.uint16() == 0x2800, let uuid = asked.uuid(asked.rest.count)
      else { return }
      while let start = response.uint16(), let end = response.uint16() {
        facts.learn(.init(end: end, uuid: uuid, isPrimary: true), at: start)
      }
    case 0x10:
      guard let length = response.uint8(), let type = Self.type(&asked) else { return }
      while let group = response.take(Int(length)) {
        var group = PacketReader(group)
        guard let start = group.uint16(), let end = group.uint16(),
          let uuid = group.uuid(Int(length) - 4)
        else { break }
        let isPrimary = type == AttributeFacts.primary
        facts.learn(.init(end: end, uuid: uuid, isPrimary: isPrimary), at: start)
      }
    case 0x08:
      guard let length = response.uint8(), length > 2, let type = Self.type(&asked) else { return }
      while let entry = response.take(Int(length)) {
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
      read(response.takeRest(), of: handle, at, &facts)
      took(at - request.at, &facts)
    case 0x20:
      while let handle = asked.uint16(), let length = response.uint16(),
        let octets = response.take(Int(length))
      {
        read(octets, of: handle, at, &facts)
      }
    case 0x0c:
      guard let handle = asked.uint16(), let offset = asked.uint16() else { return }
      let octets = response.takeRest()
      if let last = facts.reads.last, last.handle == handle, last.octets.count == Int(offset) {
        facts.reads[facts.reads.count - 1] =
          RecordedValue(handle: handle, octets: last.octets + octets, at: at)
      }
      if let earlier = facts.protected[handle], earlier.count == Int(offset) {
        facts.protected[handle] = earlier + octets
      } else if case .octets(let earlier)? = facts.readings[handle], earlier.count == Int(offset) {
        facts.readings[handle] = .octets(earlier + octets)
      }
    case 0x12:
      guard let handle = asked.uint16() else { return }
      Self.keep(RecordedWrite(handle: handle, octets: asked.takeRest(), at: request.at), &facts)
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

  /// Of several reads the first counts; a refusal before it was without a bond, and counts, too.
  private func read(
    _ octets: [UInt8],
    of handle: UInt16,
    _ at: Duration,
    _ facts: inout AttributeFacts
  ) {
    switch facts.readings[handle] {
    case nil: facts.readings[handle] = .octets(octets)
    case .refused? where facts.protected[handle] == nil: facts.protected[handle] = octets
    case .octets?, .refused?, .unanswered?, .unknown?: break
    }
    if facts.reads.count < RecordedValue.most {
      facts.reads.append(RecordedValue(handle: handle, octets: octets, at: at))
    }
  }

  /// The type that a request asks for, behind its two handles.
  private static func type(_ asked: inout PacketReader) -> BluetoothUUID? {
    guard asked.uint16() != nil, asked.uint16() != nil else { return nil }
    return asked.uuid(asked.rest.count)
  }

  private mutating func learn(
    _ type: BluetoothUUID,
    at handle: UInt16,
    _ entry: inout PacketReader,
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
      // A secondary service, which not every client looks for.
      if facts.groups[start] == nil, let end = entry.uint16(), let uuid = entry.uuid(2) {
        facts.groups[start] = .init(end: end, uuid: uuid, isPrimary: false)
      }
    // open: a value that was read by its type
    default:
      if facts.readings[handle] == nil { facts.readings[handle] = .octets(entry.takeRest()) }
    }
  }

  /// Adds a part of a long write.
  private mutating func prepare(_ asked: inout PacketReader) {
    guard prepared.count < Self.mostPrepared, let handle = asked.uint16(),
      let offset = asked.uint16()
    else { return }
    prepared.append((handle, Int(offset), asked.takeRest()))
  }

  /// The long writes that are prepared, accepted or refused together.
  private mutating func execute(
    _ at: Duration,
    _ error: ATTErrorCode?,
    _ facts: inout AttributeFacts
  ) {
    for handle in Set(prepared.map(\.handle)).sorted() {
      let parts = prepared.filter { $0.handle == handle }
      // A part that does not begin where the last one ended is of a write from an offset.
      guard parts.first?.offset == 0 else { continue }
      let octets = parts.flatMap(\.octets)
      Self.keep(RecordedWrite(handle: handle, octets: octets, at: at, error: error), &facts)
    }
    prepared = []
  }

  /// How long the discovery of services took; nil where there was none.
  var discovery: Duration? { discovered.map { $0 - begun } }

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

// The devices of a trace.

package import Bluetooth
import Documents
import SimulatedDevices

/// The devices of a trace, with the facts that it shows about each.
package struct SnoopRecording: Sendable {
  /// A device that advertised or was connected.
  package struct Device: Sendable {
    package fileprivate(set) var address: BluetoothAddress
    package fileprivate(set) var addressType: AddressType
    /// The private addresses that it had before it was paired; the first `mostAddresses` are kept.
    fileprivate var otherAddresses: [BluetoothAddress] = []
    private static let mostAddresses = 100
    package fileprivate(set) var name: String?
    /// The number of packets from, to or about it.
    package fileprivate(set) var packets = 0
    package var isConnected: Bool { connections > 0 }
    fileprivate var connections = 0
    /// Whether its address is invented, because it was connected before the trace began.
    fileprivate var isAnonymous = false
    fileprivate var appearance: UInt16?
    fileprivate var advertisements: [RecordedAdvertisement] = []
    /// The index of the latest advertisement, to which the next scan response belongs.
    fileprivate var latest: Int?
    /// The beginning of advertising data that the controller reports in parts.
    fileprivate var fragment: [UInt8] = []
    /// Whether the controller filtered duplicates: it reported each advertisement only once.
    fileprivate var isFiltered = false
    fileprivate var facts = AttributeFacts()

    fileprivate init(_ address: BluetoothAddress, _ type: UInt8) {
      self.address = address
      addressType = Self.kind(type)
    }

    /// Adds the facts that were recorded earlier under its identity address.
    fileprivate mutating func add(_ earlier: Device) {
      packets += earlier.packets
      connections += earlier.connections
      let others = otherAddresses.filter { !earlier.otherAddresses.contains($0) }
      otherAddresses = Array((earlier.otherAddresses + others).prefix(Self.mostAddresses))
      name = name ?? earlier.name
      appearance = appearance ?? earlier.appearance
      if advertisements.isEmpty {
        (advertisements, latest) = (earlier.advertisements, earlier.latest)
        isFiltered = earlier.isFiltered
      }
      guard facts.groups.isEmpty else { return }
      let (pairing, isEncrypted) = (facts.pairing, facts.isEncrypted)
      facts = earlier.facts
      (facts.pairing, facts.isEncrypted) = (pairing, isEncrypted)
    }

    /// The reason why an advertising interval is unknown; nil if all are known, or there are no
    /// advertisements.
    fileprivate var unknownInterval: String? {
      let missing = advertisements.count { $0.gaps.isEmpty }
      guard missing > 0 else { return nil }
      let all = missing == advertisements.count
      let what = all ? "the advertising interval" : "\(missing) of the advertising intervals"
      let reason =
        isFiltered
        ? "the controller was to report each advertisement once"
        : "no scan received the advertisement twice within 10.24 s"
      return "\(what): \(reason)"
    }

    /// The type of an address in an HCI packet: 0 and 2 are public, 1 and 3 random. 2 and 3 mean an
    /// identity address that the controller resolved from a private one.
    fileprivate static func kind(_ type: UInt8) -> AddressType { type & 1 == 0 ? .public : .random }
  }

  private struct Link: Sendable {
    var address: BluetoothAddress
    var trace: ConnectionTrace
  }

  private struct LinkKey: Hashable {
    let controller: UInt16
    let handle: UInt16
  }

  private var known: [BluetoothAddress: Device] = [:]
  private var links: [LinkKey: Link] = [:]
  /// The connections that have ended. Data of them may still arrive.
  private var ended: Set<LinkKey> = []
  /// The time of the latest request to connect, by controller.
  private var connecting: [UInt16: Duration] = [:]
  /// Whether a controller filters duplicate advertisements while it scans.
  private var filters: [UInt16: Bool] = [:]
  /// The number of times that a scan was begun or ended, by controller.
  private var scans: [UInt16: Int] = [:]
  private let endsEarly: Bool

  /// The maximum number of devices. A crowd with changing addresses does not need to be kept.
  private static let mostDevices = 10_000
  /// The maximum length of the data of an extended advertisement.
  private static let longestData = 1650

  package init(_ file: SnoopFile) {
    endsEarly = file.endsEarly
    for packet in file.packets {
      switch packet.kind {
      case .command: command(packet)
      case .event: event(packet)
      case .data(let isSent): data(packet, isSent: isSent)
      }
    }
    for key in links.keys.sorted(by: { ($0.controller, $0.handle) < ($1.controller, $1.handle) }) {
      end(key)
    }
  }

  /// The devices, those with a connection first, then by the number of packets.
  package var devices: [Device] {
    known.values.sorted { a, b in
      if a.isConnected != b.isConnected { return a.isConnected }
      return a.packets != b.packets ? a.packets > b.packets : a.address < b.address
    }
  }

  /// Completes a recording made over a connection with the facts that only HCI packets show: each
  /// kind of advertisement with its scan response and its interval; the error of a refused read
  /// that bluetoothd did not answer, or answered with an error that has several causes; the pairing
  /// method; and the accesses that need an authenticated key.
  ///
  /// A further call adds the facts that are new since the last one.
  package func complete(_ recording: inout DeviceRecording) {
    guard let device = known[recording.address] else { return }
    for one in recording.characteristics
    where [.unanswered, .refused(.insufficientAuthentication)].contains(one.reading) {
      if case .refused(let error)? = device.facts.readings[one.handle] {
        recording.learnLate(.refused(error), after: .zero, of: one.handle)
      }
    }
    if device.facts.pairing != .untried { recording.pairing = device.facts.pairing }
    for (handle, accesses) in device.facts.authenticated {
      recording.learnAuthenticated(accesses, of: handle)
    }
    guard !device.advertisements.isEmpty else { return }
    recording.advertisements = device.advertisements
    recording.hasScanResponses = true
    recording.unknownInterval = device.unknownInterval
  }

  // MARK: Commands and events

  private mutating func command(_ packet: SnoopFile.Packet) {
    var reader = PacketReader(packet.octets)
    switch reader.uint16() {
    // LE Create Connection; LE Extended Create Connection, in both versions.
    case 0x200d?, 0x2043?, 0x2085?: connecting[packet.controller] = packet.at
    // LE Set Scan Enable; LE Set Extended Scan Enable.
    case 0x200c?, 0x2042?:
      scans[packet.controller, default: 0] += 1
      if reader.uint8() != nil, reader.uint8() == 1, let filter = reader.uint8() {
        filters[packet.controller] = filter != 0
      }
    // open: commands of the specification
    default: break
    }
  }

  private mutating func event(_ packet: SnoopFile.Packet) {
    var reader = PacketReader(packet.octets)
    guard let code = reader.uint8(), reader.uint8() != nil else { return }
    switch code {
    case 0x05:
      guard reader.uint8() == 0, let handle = reader.uint16() else { return }
      let key = LinkKey(controller: packet.controller, handle: handle)
      end(key)
      ended.insert(key)
    // Encryption Change, in both versions; Encryption Key Refresh Complete.
    case 0x08, 0x30, 0x59:
      guard reader.uint8() == 0, let handle = reader.uint16(), code == 0x30 || reader.uint8() != 0
      else { return }
      change(LinkKey(controller: packet.controller, handle: handle & 0xfff)) { $0.encrypted(&$1) }
    case 0x3e:
      switch reader.uint8() {
      case 0x01?, 0x0a?, 0x29?: connected(packet, &reader)
      case 0x02?: reports(packet, &reader)
      case 0x0d?: extendedReports(packet, &reader)
      // open: events of the specification
      default: break
      }
    // open: events of the specification
    default: break
    }
  }

  private mutating func connected(_ packet: SnoopFile.Packet, _ reader: inout PacketReader) {
    guard reader.uint8() == 0, let handle = reader.uint16(), let role = reader.uint8(),
      let type = reader.uint8(), let address = reader.address()
    else { return }
    let key = LinkKey(controller: packet.controller, handle: handle)
    end(key)
    // This host is the peripheral, as when one kernel has the controllers of both sides.
    guard role == 0 else {
      ended.insert(key)
      return
    }
    links[key] = Link(address: address, trace: ConnectionTrace(begun: packet.at))
    let begun = connecting.removeValue(forKey: packet.controller)
    change(address, type, isConnected: true) { device in
      device.connections += 1
      if let begun { device.facts.link.connecting.append(packet.at - begun) }
    }
  }

  /// Ends a connection, and records the duration of its service discovery.
  private mutating func end(_ key: LinkKey) {
    guard let link = links.removeValue(forKey: key), let time = link.trace.discovery else { return }
    known[link.address]?.facts.link.discovering.append(time)
  }

  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.65.2.
  private mutating func reports(_ packet: SnoopFile.Packet, _ reader: inout PacketReader) {
    guard let count = reader.uint8() else { return }
    for _ in 0..<count {
      guard let kind = reader.uint8(), let type = reader.uint8(), let address = reader.address(),
        let length = reader.uint8(), let data = reader.bytes(Int(length)), let rssi = reader.int8()
      else { return }
      let isResponse = kind == 4
      received(
        AdvertisedFields(data), from: address, type, isResponse: isResponse,
        isConnectable: isResponse ? nil : kind < 2, rssi: rssi, in: packet
      )
    }
  }

  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.65.13.
  private mutating func extendedReports(_ packet: SnoopFile.Packet, _ reader: inout PacketReader) {
    guard let count = reader.uint8() else { return }
    for _ in 0..<count {
      guard let kind = reader.uint16(), let type = reader.uint8(), let address = reader.address(),
        // Skips the PHYs, the advertising set, and the TX power.
        reader.bytes(4) != nil, let rssi = reader.int8(),
        // Skips the interval of periodic advertising, and the direct address.
        reader.bytes(9) != nil, let length = reader.uint8(), let data = reader.bytes(Int(length))
      else { return }
      // 0xff marks an advertisement without an address.
      guard type != 0xff else { continue }
      let earlier = known[address]?.fragment ?? []
      // The data is incomplete, and more is to come.
      if kind >> 5 & 3 == 1 {
        change(address, type) { $0.fragment = Array((earlier + data).prefix(Self.longestData)) }
        continue
      }
      if !earlier.isEmpty { known[address]?.fragment = [] }
      let isResponse = kind & 8 != 0
      received(
        AdvertisedFields(earlier + data), from: address, type, isResponse: isResponse,
        isConnectable: isResponse ? nil : kind & 1 != 0, rssi: rssi, in: packet
      )
    }
  }

  private mutating func received(
    _ fields: AdvertisedFields, from address: BluetoothAddress, _ type: UInt8, isResponse: Bool,
    isConnectable: Bool?, rssi: Int, in packet: SnoopFile.Packet
  ) {
    let isFiltered = filters[packet.controller] ?? false
    let scan = scans[packet.controller] ?? 0
    change(address, type) { device in
      device.packets += 1
      // A shortened name does not replace the complete one.
      if let name = fields.name, device.name?.hasPrefix(name) != true { device.name = name }
      if let appearance = fields.appearance { device.appearance = appearance }
      if isResponse, let latest = device.latest {
        return device.advertisements[latest].add(fields)
      }
      let place: Int
      if let known = device.advertisements.firstIndex(where: { $0.isKind(of: fields) }) {
        device.advertisements[known].add(fields)
        place = known
      } else {
        guard device.advertisements.count < FileLimits.advertisements else { return }
        device.advertisements.append(RecordedAdvertisement(fields))
        place = device.advertisements.count - 1
      }
      device.latest = place
      if let isConnectable { device.advertisements[place].isConnectable = isConnectable }
      // 127 means that the RSSI is not available.
      if rssi != 127,
        device.advertisements[place].rssi.count < RecordedAdvertisement.mostSamples
      {
        device.advertisements[place].rssi.append(rssi)
      }
      if isFiltered {
        device.isFiltered = true
      } else {
        device.advertisements[place].received(
          .init(at: packet.at, scan: scan, connections: device.connections), by: packet.controller
        )
      }
    }
  }

  private mutating func data(_ packet: SnoopFile.Packet, isSent: Bool) {
    var reader = PacketReader(packet.octets)
    guard let header = reader.uint16() else { return }
    let key = LinkKey(controller: packet.controller, handle: header & 0xfff)
    if links[key] == nil { beginWithin(key, packet) }
    change(key) { trace, facts in trace.add(packet, isSent: isSent, to: &facts) }
  }

  private mutating func change(
    _ key: LinkKey, _ body: (inout ConnectionTrace, inout AttributeFacts) -> Void
  ) {
    // Removed during the change, so that its arrays are not copied.
    guard var link = links.removeValue(forKey: key),
      var device = known.removeValue(forKey: link.address)
    else { return }
    device.packets += 1
    body(&link.trace, &device.facts)
    if let identity = link.trace.identity, identity.address != link.address {
      // Earlier and later packets under the identity address are of the same device.
      device.otherAddresses.append(link.address)
      if let earlier = known[identity.address] { device.add(earlier) }
      device.address = identity.address
      device.addressType = Device.kind(identity.type)
      link.address = identity.address
    }
    known[link.address] = device
    links[key] = link
  }

  /// Adds a connection that began before the trace. The trace does not have the device's address,
  /// so one is invented.
  private mutating func beginWithin(_ key: LinkKey, _ packet: SnoopFile.Packet) {
    var reader = PacketReader(packet.octets)
    guard !ended.contains(key), let header = reader.uint16(), header >> 12 & 3 != 1,
      // Skips two lengths. Only an LE connection has the channel of ATT.
      reader.bytes(4) != nil, reader.uint16() == ConnectionTrace.attributeChannel
    else { return }
    let address = BluetoothAddress(
      number: 0xc0ff_ee00_0000 | UInt64(key.controller & 0xf) << 12 | UInt64(key.handle)
    )
    links[key] = Link(address: address, trace: ConnectionTrace(begun: packet.at))
    change(address, 1, isConnected: true) { device in
      device.connections += 1
      device.isAnonymous = true
    }
  }

  private mutating func change(
    _ address: BluetoothAddress, _ type: UInt8, isConnected: Bool = false,
    _ body: (inout Device) -> Void
  ) {
    var device = known[address] ?? Device(address, type)
    guard known[address] != nil || known.count < Self.mostDevices || isConnected else { return }
    // Removed during the change, so that its arrays are not copied.
    known[address] = nil
    body(&device)
    known[address] = device
  }

  // MARK: A device

  /// Returns the recording of one device. If it has several addresses, the recording is of the
  /// first, and lists the others.
  ///
  /// - Parameter matches: Selects the device; nil for the only one that was connected.
  /// - Throws: ``SnoopError`` if no device, or several, match.
  package func recording(of matches: ((Device) -> Bool)?) throws(SnoopError) -> DeviceRecording {
    let devices = devices
    guard !devices.isEmpty else {
      throw SnoopError(
        description:
          "the trace has no Bluetooth LE device: neither an advertisement nor a connection"
      )
    }
    let selected = devices.filter { matches?($0) ?? $0.isConnected }
    guard let first = selected.first else {
      let problem =
        matches == nil
        ? "the trace has no connection: name a device with -d, and its advertisements are recorded"
        : "no such device is in the trace"
      throw SnoopError(description: problem + listing(devices))
    }
    // Devices with the same name are one device that changes its private address, if at most one of
    // the addresses is an identity address.
    let isOne =
      selected.allSatisfy { $0.name == first.name && first.name != nil }
      && selected.count { $0.address.isIdentity($0.addressType) } <= 1
    guard isOne || selected.count == 1 else {
      throw SnoopError(
        description: "several devices are in the trace: name one with -d\(listing(selected))"
      )
    }
    return recording(of: selected)
  }

  private func recording(of devices: [Device]) -> DeviceRecording {
    let first = devices[0]
    let facts = first.facts
    var recording = DeviceRecording(
      address: first.address, addressType: first.addressType, name: first.name
    )
    recording.otherAddresses = first.otherAddresses + devices.dropFirst().map(\.address)
    recording.appearance = devices.compactMap(\.appearance).first
    recording.advertisements = first.advertisements
    recording.services = facts.services
    recording.link = facts.link
    recording.pairing = facts.pairing
    recording.writes = facts.writes
    recording.notifications = facts.notifications
    recording.reads = facts.reads
    recording.learnGenericAccess()
    let handles = Set(recording.characteristics.map(\.handle))
    recording.writes.removeAll { !handles.contains($0.handle) }
    recording.notifications.removeAll { !handles.contains($0.handle) }
    recording.reads.removeAll { !handles.contains($0.handle) }
    if first.isAnonymous {
      recording.unknown.append(
        "its address, which is made up: the trace begins within a connection"
      )
    }
    if !first.isConnected {
      recording.unknown.append("its services: the trace has no connection to it")
    } else if recording.services.isEmpty {
      recording.unknown.append("its services: \(Self.reason(first))")
    }
    if first.advertisements.isEmpty {
      recording.unknown.append("its advertisements: the trace begins after them")
    }
    recording.unknownInterval = first.unknownInterval
    if facts.changes > 0 {
      recording.unknown.append("what its attributes were before it changed them in the trace")
    }
    if facts.isEncrypted, !facts.isRefusedForSecurity {
      let reason =
        facts.pairing == .untried
        ? "the client was paired before the trace; forget the device there, and trace again"
        : "it was encrypted before anything was refused"
      recording.unknown.append("what it demands of a connection: \(reason)")
    }
    if facts.cut > 0 {
      let packets = facts.cut == 1 ? "1 packet" : "\(facts.cut) packets"
      recording.unknown.append("what was in \(packets), which the trace has in part only")
    }
    recording.noteBounds(
      notifications: facts.notifications.count, reads: facts.reads.count,
      writes: facts.writes.count
    )
    if endsEarly { recording.unknown.append("what came last: the trace ends within a packet") }
    return recording
  }

  /// The reason why a device that was connected has no services.
  private static func reason(_ device: Device) -> String {
    if device.facts.cut > 0 {
      return
        "the trace has packets in part only; a phone has a setting for all of them, and one that "
        + "filters"
    }
    let cause =
      device.isAnonymous ? "the trace begins after their discovery, or " : ""
    return cause
      + "the client knew them already and did not ask; forget the device there, and trace again"
  }

  /// The maximum number of devices in a list.
  private static let mostListed = 20

  private func listing(_ devices: [Device]) -> String {
    let lines = devices.prefix(Self.mostListed).map { device in
      let name = device.name.map { " \($0.onOneLine)" } ?? ""
      let connected = device.isConnected ? ", connected" : ""
      let packets = device.packets == 1 ? "1 packet" : "\(device.packets) packets"
      return "\n  \(device.address)\(name) (\(packets)\(connected))"
    }
    let rest = devices.count - lines.count
    return (lines.isEmpty ? "" : ":") + lines.joined() + (rest > 0 ? "\n  and \(rest) more" : "")
  }
}

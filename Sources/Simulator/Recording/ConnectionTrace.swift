// One connection of a trace: its packets, reassembled by channel, and its security.
//
// AttributeTrace parses the packets of an ATT bearer.

import Bluetooth
import SimulatedDevices

/// The packets of one connection.
///
/// - Source: Bluetooth Core 5.4, Vol 4, Part E §5.4.2 (HCI ACL Data); Vol 3, Part A §3 and §4.25
///   (L2CAP), Part G §5.3 (Enhanced ATT), Part H §3.5 (SMP).
struct ConnectionTrace: Sendable {
  /// The beginning of an L2CAP packet, and the length of the whole packet.
  private struct Partial: Sendable {
    let channel: UInt16
    let length: Int
    var octets: [UInt8]
    var isCut: Bool
  }

  /// A channel identifier in one direction: the two sides may use different ones for a channel.
  private struct Channel: Hashable, Sendable {
    let number: UInt16
    let isSent: Bool
  }

  private let begun: Duration
  /// The bearers of ATT, first that of the fixed channel. `places` has their indices by channel.
  private var bearers = [AttributeTrace()]
  private var places = [
    Channel(number: Self.attributeChannel, isSent: true): 0,
    Channel(number: Self.attributeChannel, isSent: false): 0,
  ]
  /// The channels named in pending requests for more bearers. In these keys, the number is the
  /// identifier of the request, and the direction is that of the request.
  private var requested: [Channel: [UInt16]] = [:]
  /// The incomplete values in several packets: the octets so far, and the length of the whole
  /// value.
  private var values: [Channel: (octets: [UInt8], length: Int)] = [:]
  /// The incomplete L2CAP packets, by direction: true for those that this host sends.
  private var partial: [Bool: Partial] = [:]
  private var isEncrypted = false
  /// The features in the host's Pairing Request. Together with the response they determine
  /// `method`.
  private var request: PairingFeatures?
  private var method: PairingDefinition.Method?
  /// The identity address of the device, and its type, as the device sent them while pairing.
  private(set) var identity: (address: BluetoothAddress, type: UInt8)?

  static let attributeChannel: UInt16 = 4
  private static let signallingChannel: UInt16 = 5
  private static let securityChannel: UInt16 = 6
  /// The SPSM of Enhanced ATT, which a request for more bearers names.
  private static let attributeService: UInt16 = 0x27
  /// The identifiers of dynamic channels, and the maximum number of them in one request.
  private static let requestable: ClosedRange<UInt16> = 0x40...0x7f
  private static let mostRequested = 5

  init(begun: Duration) { self.begun = begun }

  /// The duration of service discovery; nil if there was none.
  var discovery: Duration? { bearers.compactMap(\.discovered).max().map { $0 - begun } }

  /// Adds an ACL data packet.
  mutating func add(_ packet: SnoopFile.Packet, isSent: Bool, to facts: inout AttributeFacts) {
    guard let whole = complete(packet, isSent: isSent) else { return }
    let octets = Array(whole.octets.prefix(whole.length))
    switch whole.channel {
    case Self.signallingChannel: signal(octets, isSent: isSent)
    case Self.securityChannel: pair(octets, isSent: isSent, &facts)
    // open: channels
    default:
      let channel = Channel(number: whole.channel, isSent: isSent)
      guard let place = places[channel] else { return }
      guard !whole.isCut else {
        facts.cut += 1
        // The next packet on this channel would not begin a value.
        if place > 0 { places[channel] = nil }
        return
      }
      guard let value = place == 0 ? octets : value(octets, on: channel) else { return }
      if isSent {
        bearers[place].sent(value, packet.at, isEncrypted: isEncrypted, &facts)
      } else {
        bearers[place].received(value, packet.at, &facts)
      }
    }
  }

  // MARK: Channels

  /// Returns the L2CAP packet that a data packet completes, or whose rest was truncated; nil if
  /// more of it is to come.
  private mutating func complete(_ packet: SnoopFile.Packet, isSent: Bool) -> Partial? {
    var reader = PacketReader(packet.octets)
    guard let header = reader.uint16(), reader.uint16() != nil else { return nil }
    var one: Partial
    if header >> 12 & 3 == 1 {
      guard let earlier = partial.removeValue(forKey: isSent) else { return nil }
      one = earlier
      one.octets += reader.remainingBytes()
      one.isCut = packet.isCut
    } else {
      partial[isSent] = nil
      guard let length = reader.uint16(), let channel = reader.uint16() else { return nil }
      one = Partial(
        channel: channel, length: Int(length), octets: reader.remainingBytes(), isCut: packet.isCut
      )
    }
    if one.isCut || one.octets.count >= one.length { return one }
    partial[isSent] = one
    return nil
  }

  /// Handles a request for more bearers, or its response, which lists the granted channels in the
  /// order of the request.
  private mutating func signal(_ octets: [UInt8], isSent: Bool) {
    var reader = PacketReader(octets)
    guard let code = reader.uint8(), let identifier = reader.uint8(), reader.uint16() != nil else {
      return
    }
    switch code {
    case 0x17:
      // Skips the MTU, the MPS and the credits.
      guard reader.uint16() == Self.attributeService, reader.bytes(6) != nil else { return }
      var numbers: [UInt16] = []
      while numbers.count < Self.mostRequested, let number = reader.uint16() {
        numbers.append(number)
      }
      requested[Channel(number: UInt16(identifier), isSent: isSent)] = numbers
    case 0x18:
      let key = Channel(number: UInt16(identifier), isSent: !isSent)
      guard let numbers = requested.removeValue(forKey: key), reader.bytes(8) != nil else { return }
      for number in numbers {
        // 0 means that the channel was not granted.
        guard let other = reader.uint16(), Self.requestable.contains(number),
          Self.requestable.contains(other)
        else { continue }
        // Each side sends to the channel identifier of the other side.
        for channel in [
          Channel(number: number, isSent: isSent), Channel(number: other, isSent: !isSent),
        ] {
          places[channel] = bearers.count
          values[channel] = nil
        }
        bearers.append(AttributeTrace())
      }
    // open: other signals
    default: break
    }
  }

  /// Returns the value that a packet of a credit-based channel completes; nil if more is to come.
  /// The first packet of a value begins with its length.
  private mutating func value(_ octets: [UInt8], on channel: Channel) -> [UInt8]? {
    var reader = PacketReader(octets)
    let begun = values.removeValue(forKey: channel)
    guard var value = begun ?? reader.uint16().map({ (octets: [], length: Int($0)) }) else {
      return nil
    }
    value.octets += reader.remainingBytes()
    if value.octets.count >= value.length { return value.octets }
    values[channel] = value
    return nil
  }

  // MARK: Security

  /// The features that one side sends in its Pairing Request or Pairing Response.
  private struct PairingFeatures: Sendable {
    let capability: IOCapability
    let hasOutOfBandData: Bool
    let wantsAuthentication: Bool
    let isSecure: Bool

    init?(_ reader: inout PacketReader) {
      guard let number = reader.uint8(), let capability = IOCapability(rawValue: number),
        let data = reader.uint8(), let demands = reader.uint8()
      else { return nil }
      self.capability = capability
      hasOutOfBandData = data != 0
      wantsAuthentication = demands & 4 != 0
      isSecure = demands & 8 != 0
    }
  }

  /// Handles a packet of the Security Manager. Packets with keys are ignored.
  private mutating func pair(_ octets: [UInt8], isSent: Bool, _ facts: inout AttributeFacts) {
    var reader = PacketReader(octets)
    switch (reader.uint8(), isSent) {
    case (0x01?, true):
      request = PairingFeatures(&reader)
      method = nil
    case (0x02?, false):
      guard let host = request, let device = PairingFeatures(&reader),
        !host.hasOutOfBandData, !device.hasOutOfBandData
      else { return }
      let isAuthenticated = host.wantsAuthentication || device.wantsAuthentication
      let model = AssociationModel(
        host: host.capability, device: device.capability,
        isLegacy: !host.isSecure || !device.isSecure
      )
      method = isAuthenticated ? model.method : .justWorks
    case (0x05?, false):
      // Pairing failed with Pairing Not Supported.
      if reader.uint8() == 5 { facts.pairing = .tried(.reject) }
    case (0x09?, false):
      // A device has one identity address. A trace with more is damaged: the first counts.
      if identity == nil, let type = reader.uint8(), let address = reader.address() {
        identity = (address, type)
      }
    // open: commands
    default: break
    }
  }

  /// Handles the event that encryption was turned on or got a new key.
  mutating func encrypted(_ facts: inout AttributeFacts) {
    isEncrypted = true
    facts.isEncrypted = true
    if let method { facts.pairing = .tried(method) }
  }
}

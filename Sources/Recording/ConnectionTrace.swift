// One connection of a trace: its packets put together, by channel, and how secure it is.
//
// What is exchanged over a bearer of ATT is AttributeTrace's.

import Bluetooth
import SimulatedDevices

/// The packets of one connection.
///
/// - Source: Bluetooth Core 5.4, Vol 4, Part E §5.4.2 (HCI ACL Data); Vol 3, Part A §3 (L2CAP), Part H
///   §3.5 (SMP).
struct ConnectionTrace: Sendable {
  /// The beginning of a packet, and how long it is to be.
  private struct Partial: Sendable {
    let channel: UInt16
    let length: Int
    var octets: [UInt8]
    var isCut: Bool
  }

  private let begun: Duration
  private var attributes = AttributeTrace()
  /// By whether it is sent.
  private var partial: [Bool: Partial] = [:]
  private var isEncrypted = false
  /// What the host asked for in a pairing, and then what follows from the response.
  private var request: PairingFeatures?
  private var method: PairingDefinition.Method?

  static let attributeChannel: UInt16 = 4
  private static let securityChannel: UInt16 = 6

  init(begun: Duration) { self.begun = begun }

  /// How long the discovery of services took; nil where there was none.
  var discovery: Duration? { attributes.discovered.map { $0 - begun } }

  /// Takes a packet of data.
  mutating func add(_ packet: SnoopFile.Packet, isSent: Bool, to facts: inout AttributeFacts) {
    guard let whole = complete(packet, isSent: isSent) else { return }
    let octets = Array(whole.octets.prefix(whole.length))
    switch whole.channel {
    case Self.attributeChannel where whole.isCut: facts.cut += 1
    case Self.attributeChannel where isSent:
      attributes.sent(octets, packet.at, isEncrypted: isEncrypted, &facts)
    case Self.attributeChannel: attributes.received(octets, packet.at, &facts)
    case Self.securityChannel: pair(octets, isSent: isSent, &facts)
    // open: channels
    default: break
    }
  }

  /// The packet of a channel that is complete with a packet of data, or of which the rest is missing.
  private mutating func complete(_ packet: SnoopFile.Packet, isSent: Bool) -> Partial? {
    var reader = PacketReader(packet.octets)
    guard let header = reader.uint16(), reader.uint16() != nil else { return nil }
    var one: Partial
    if header >> 12 & 3 == 1 {
      guard let earlier = partial.removeValue(forKey: isSent) else { return nil }
      one = earlier
      one.octets += reader.takeRest()
      one.isCut = packet.isCut
    } else {
      partial[isSent] = nil
      guard let length = reader.uint16(), let channel = reader.uint16() else { return nil }
      one = Partial(
        channel: channel,
        length: Int(length),
        octets: reader.takeRest(),
        isCut: packet.isCut
      )
    }
    if one.isCut || one.octets.count >= one.length { return one }
    partial[isSent] = one
    return nil
  }

  // MARK: Security

  /// What one side wants of a pairing.
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

  /// A packet of the Security Manager. Those with keys are not looked at.
  private mutating func pair(_ octets: [UInt8], isSent: Bool, _ facts: inout AttributeFacts) {
    var reader = PacketReader(octets)
    switch (reader.uint8(), isSent) {
    case (0x01?, true): request = PairingFeatures(&reader)
    case (0x02?, false):
      guard let host = request, let device = PairingFeatures(&reader),
        !host.hasOutOfBandData, !device.hasOutOfBandData
      else { return }
      let isAuthenticated = host.wantsAuthentication || device.wantsAuthentication
      let model = AssociationModel(
        host: host.capability,
        device: device.capability,
        isLegacy: !host.isSecure || !device.isSecure
      )
      method = isAuthenticated ? model.method : .justWorks
    case (0x05?, false):
      // Pairing Not Supported.
      if reader.uint8() == 5 { facts.pairing = .tried(.reject) }
    // open: commands
    default: break
    }
  }

  /// The controller has turned encryption on, or used a new key for it.
  mutating func encrypted(_ facts: inout AttributeFacts) {
    isEncrypted = true
    if let method { facts.pairing = .tried(method) }
    if request == nil { facts.hasBond = true }
  }
}

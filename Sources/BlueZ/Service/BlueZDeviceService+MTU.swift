// The MTU of the link, and what fits into it.

import BlueZInterfaces
import Bluetooth
import DBus
public import Signals

extension BlueZDeviceService {
  /// The octets that a command, a notification or an indication has beside its value.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.4.5.3 and §3.4.7.
  static let commandOverhead = 3
  /// The MTU that every LE link begins with.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part G §5.2.1.
  static let firstMTU = 23

  public func mtu() -> Signal<Int> {
    operation(.objects, "asking for the MTU") { [self] in
      try await client.keepInStep()
      let device = try connectedDevice()
      guard client.look({ $0.isConnected(device) }) else { throw Problem(.notConnected) }
      let end = loop.now + client.limits.mtuExchange
      while true {
        guard let mtu = try await linkMTU(of: device) else {
          guard client.look({ $0.isConnected(device) }) else { throw Problem(.linkLost) }
          throw Problem(.mtuUnknown)
        }
        if mtu > Self.firstMTU || loop.now >= end { return mtu }
        try await loop.sleep(for: .milliseconds(50))
      }
    }
  }

  /// The MTU of the link in octets; nil where bluetoothd does not tell.
  ///
  /// Asked for, because the objects of an earlier link are kept and still tell of that.
  func linkMTU(of device: ObjectPath) async throws -> Int? {
    let first = client.look { tree in
      tree.paths(with: GattCharacteristic1.interface, below: device).first
    }
    guard let first else { return nil }
    let call = MethodCall.get(GattCharacteristic1.mtu, at: first)
    let mtu: Int?
    do {
      let reply = try await client.bus.call(call, limit: client.limits.call, lateReply: nil)
      mtu = reply.value(of: GattCharacteristic1.mtu).map { Int($0) }
    } catch is DBusError {
      // Absent before 5.62 and while there is no link.
      mtu = nil
    }
    client.link(to: device).state.withLock { $0.mtu = mtu }
    return mtu
  }

  /// Checks that a command of so many octets fits into the MTU.
  ///
  /// bluetoothd is asked only for those that the least MTU does not carry, and once a link unless
  /// the value is too long for what it said: the MTU may have grown meanwhile. Where it does not
  /// tell, the command is left to it.
  func requirePlace(for octets: Int, _ selector: CharacteristicSelector) async throws {
    guard octets > Self.firstMTU - Self.commandOverhead else { return }
    let device = try connectedDevice()
    let known = client.link(to: device).state.withLock { $0.mtu }
    if let known, octets <= known - Self.commandOverhead { return }
    guard let mtu = try await linkMTU(of: device), octets > mtu - Self.commandOverhead else {
      return
    }
    throw Problem(.commandTooLong(octets: octets, mtu: mtu))
  }
}

extension Explanation {
  static let mtuUnknown = definite(
    .notSupported,
    "bluetoothd does not tell the MTU: it is older than 5.62, or exports no characteristic of the "
      + "device",
    hint: "install a newer BlueZ; until then count on 23 octets, of which a command carries 20"
  )

  static func commandTooLong(octets: Int, mtu: Int) -> Explanation {
    definite(
      .invalidValue,
      "the value has \(octets) octets, a command carries at most "
        + "\(mtu - BlueZDeviceService.commandOverhead) on this link, whose MTU is \(mtu)",
      hint: "write with a request, which takes up to \(GattCharacteristic1.longestValue) octets, "
        + "or split the value; the MTU cannot be asked for, the device and bluetoothd settle it"
    )
  }
}

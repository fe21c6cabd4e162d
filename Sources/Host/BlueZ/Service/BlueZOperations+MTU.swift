// The MTU of the connection, and what fits into it.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  /// The octets of a command, a notification or an indication before its value.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.4.5.3 and §3.4.7.
  static let commandOverhead = 3
  /// The initial MTU of every LE connection.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part G §5.2.1.
  static let firstMTU = 23

  func mtu() async throws -> Int {
    try await explaining(.objects, "asking for the MTU") {
      try await client.keepInStep()
      let device = try linkedDevice()
      let end = loop.now + client.limits.mtuExchange
      while true {
        guard let mtu = try await linkMTU(of: device) else {
          guard client.look({ $0.isConnected(device) }) else { throw Cause.linkLost }
          throw Cause.mtuUnknown
        }
        if mtu > Self.firstMTU || loop.now >= end { return mtu }
        try await loop.sleep(for: .milliseconds(50))
      }
    }
  }

  /// The MTU of the connection in octets; nil when bluetoothd does not report it.
  ///
  /// It is read from bluetoothd, because the objects of an earlier connection are kept and still
  /// have the old value.
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
      // Absent before 5.62 and while there is no connection.
      mtu = nil
    }
    link(to: device).state.withLock { $0.mtu = mtu }
    return mtu
  }

  /// Checks that a command with this many octets fits into the MTU.
  ///
  /// bluetoothd is queried only for commands that do not fit the minimum MTU, and once per
  /// connection unless the value is longer than the reported MTU permits: the MTU may have grown
  /// since. When it does not report the MTU, it decides itself.
  func requirePlace(for octets: Int, _ selector: CharacteristicSelector) async throws {
    guard octets > Self.firstMTU - Self.commandOverhead else { return }
    let device = try connectedDevice()
    let known = link(to: device).state.withLock { $0.mtu }
    if let known, octets <= known - Self.commandOverhead { return }
    guard let mtu = try await linkMTU(of: device), octets > mtu - Self.commandOverhead else {
      return
    }
    throw Cause.commandTooLong(octets: octets, mtu: mtu)
  }
}

extension Cause {
  static let mtuUnknown = permanent(
    .notSupported,
    "bluetoothd does not report the MTU: it is older than 5.62, or exports no attribute of the "
      + "device",
    hint: "install a newer BlueZ; until then assume 23 bytes, of which a command carries 20"
  )

  static func commandTooLong(octets: Int, mtu: Int) -> Cause {
    permanent(
      .invalidValue,
      "the value has \(octets) bytes, a command carries at most "
        + "\(mtu - BlueZOperations.commandOverhead) on this connection, whose MTU is \(mtu)",
      hint: "write with a request, which carries up to \(GattCharacteristic1.longestValue) bytes, "
        + "or split the value; the MTU cannot be requested, the device and bluetoothd negotiate it"
    )
  }
}

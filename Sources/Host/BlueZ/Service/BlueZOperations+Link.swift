// Facts about the connection: RSSI, TX power, parameters and PHY, which org.bluez does not report, and the MTU with what
// fits into it.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  func rssi() async throws -> LinkStrength {
    try await measured("measuring the link") { try await $0.strength(of: $1) }
  }

  func connectionParameters() async throws -> ConnectionParameters {
    try await measured("asking for the timing of the link") { try await $0.parameters(of: $1) }
  }

  func changeConnectionParameters(
    to wanted: ConnectionParameters
  ) async throws -> ConnectionParameters {
    precondition(wanted.areValid)
    return try await measured("changing the connection parameters") {
      try await $0.change($1, to: wanted)
    }
  }

  func phy() async throws -> LinkPHY {
    try await measured("asking for the PHY") { try await $0.phy(of: $1) }
  }

  func changePHY(to wanted: PHY) async throws -> LinkPHY {
    try await measured("changing the PHY") { try await $0.change($1, to: wanted) }
  }

  private func measured<Value: Sendable>(
    _ title: String, _ ask: (any LinkMeter, LinkIdentity) async throws -> Value
  ) async throws -> Value {
    try await explaining(.objects, title) {
      let device = try connectedDevice()
      let seen = client.withTree { $0.advertisement(of: device) }
      guard let seen, seen.isConnected else { throw Cause.notConnected }
      guard let meter else { throw Cause.noMeter }
      do {
        return try await ask(meter, LinkIdentity(adapter: seen.adapter, address: seen.address))
      } catch let failure as DeviceFailure {
        throw failure.on(deviceDescription)
      }
    }
  }
}

extension Cause {
  fileprivate static let noMeter = permanent(
    .notSupported, "this service was created without a link meter", hint: "pass one to BlueZDevice"
  )
}

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
      try await client.synchronize()
      let device = try linkedDevice()
      let end = loop.now + client.limits.mtuExchange
      while true {
        guard let mtu = try await linkMTU(of: device) else {
          guard client.withTree({ $0.isConnected(device) }) else { throw Cause.linkLost }
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
    let first = client.withTree { tree in
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
  func requireFitsMTU(for octets: Int, _ selector: CharacteristicSelector) async throws {
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

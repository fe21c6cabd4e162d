// Services, reads and writes.

import BlueZInterfaces
public import Bluetooth
import DBus
public import Signals

extension BlueZDeviceService {
  /// Lists the services of the connected device.
  public func services() -> Signal<[GATTService]> {
    operation(.objects, "listing the services") { [self] in
      try await client.keepInStep()
      let device = try connectedDevice()
      guard client.look({ $0.isConnected(device) }) else { throw Problem(.notConnected) }
      let mtu = try await linkMTU(of: device)
      return client.look { $0.services(of: device, mtu: mtu) }
    }
  }

  /// The MTU of the link in octets; nil where bluetoothd does not tell.
  ///
  /// Asked for, because the objects of an earlier link are kept and still tell of that.
  private func linkMTU(of device: ObjectPath) async throws -> Int? {
    let first = client.look { tree in
      tree.paths(with: GattCharacteristic1.interface, below: device).first
    }
    guard let first else { return nil }
    let call = MethodCall.bluez(
      first,
      StandardInterface.properties,
      StandardInterface.Properties.get,
      [.string(GattCharacteristic1.interface), .string(GattCharacteristic1.Property.mtu)]
    )
    do {
      let reply = try await client.bus.call(call, limit: client.limits.call, lateReply: nil)
      return reply.body.first?.unwrapped.asUInt16.map { Int($0) }
    } catch is DBusError {
      // Absent before 5.62 and while there is no link.
      return nil
    }
  }

  /// Reads a characteristic.
  ///
  /// - Returns: The value. Fails with ``DeviceFailure``.
  public func read(_ selector: CharacteristicSelector) -> Signal<[UInt8]> {
    Signal(home: scheduler) { [self] sink in
      let value: [UInt8]
      do {
        value = try await channel(selector).read()
      } catch {
        throw attributeFailure(error, .read, "reading", selector)
      }
      try await sink(value)
    }
  }

  /// Writes a characteristic.
  ///
  /// `automatic` asks for a response where the characteristic offers that, else writes without.
  ///
  /// - Returns: One value once bluetoothd has answered: for a request, once the device has.
  public func write(
    _ value: [UInt8],
    to selector: CharacteristicSelector,
    kind: WriteKind
  ) -> Signal<Void> {
    Signal(home: scheduler) { [self] sink in
      do {
        guard value.count <= GattCharacteristic1.longestValue else {
          throw Problem(.tooLong(octets: value.count))
        }
        let channel = try channel(selector)
        try await channel.write(value, type: Self.type(kind, channel.view.properties))
      } catch {
        throw attributeFailure(error, .write, "writing", selector)
      }
      try await sink(())
    }
  }

  private static func type(_ kind: WriteKind, _ offered: CharacteristicProperties) -> String? {
    switch kind {
    case .request: GattCharacteristic1.WriteType.request
    case .command: GattCharacteristic1.WriteType.command
    case .reliable: GattCharacteristic1.WriteType.reliable
    case .automatic where offered.contains(.write): GattCharacteristic1.WriteType.request
    case .automatic where offered.contains(.writeWithoutResponse):
      GattCharacteristic1.WriteType.command
    case .automatic: nil
    }
  }

  // MARK: Selectors

  /// The channel of the characteristic that a selector means.
  func channel(_ selector: CharacteristicSelector) throws -> CharacteristicChannel {
    let generation = client.attributeGeneration
    let known: CharacteristicChannel? = state.withLock { state in
      guard let device = state.device else { return nil }
      return state.channels.channel(selector, of: device, generation: generation)
    }
    if let known { return known }
    let device = try connectedDevice()
    let view = try client.look { tree in
      guard tree.isConnected(device) else { throw Problem(.notConnected) }
      return try selector.resolved(among: tree.characteristics(of: device))
    }
    let channel = client.link(to: device).channel(of: view)
    state.withLock {
      $0.channels.keep(channel, selector, of: device, generation: generation)
    }
    return channel
  }

  /// The failure of an operation on an attribute.
  func attributeFailure(
    _ error: any Error,
    _ call: ErrorSituation.Call,
    _ verb: String,
    _ selector: CharacteristicSelector
  ) -> any Error {
    let name = AssignedNumbers.title(of: selector)
    return failure(error, call, "\(verb) \(name)", attribute: name)
  }
}

extension BlueZClient {
  /// Counts the changes of attribute objects.
  var attributeGeneration: UInt64 { state.withLock { $0.tree.attributeGeneration } }
}

extension Explanation {
  static func tooLong(octets: Int) -> Explanation {
    definite(
      .invalidValue,
      "the value has \(octets) octets, an attribute at most \(GattCharacteristic1.longestValue)",
      hint: "split it into several writes, as the device's documentation says"
    )
  }
}

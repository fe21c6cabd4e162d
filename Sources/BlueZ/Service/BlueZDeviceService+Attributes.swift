// Services, reads and writes.

import BlueZInterfaces
public import Bluetooth
import DBus
public import Signals

extension BlueZDeviceService {
  /// Lists the services of the connected device.
  ///
  /// ```swift
  /// let services = device.session { device.services() }
  /// for service in try await services.first(within: .seconds(30)) {
  ///   print(service.uuid, service.characteristics.map(\.uuid))
  /// }
  /// ```
  ///
  /// - Returns: The services in the order of their handles. Fails with `not-connected`.
  public func services() -> Signal<[GATTService]> {
    operation(.objects, "listing the services") { [self] in
      try await client.keepInStep()
      let device = try linkedDevice()
      let mtu = try await linkMTU(of: device)
      return client.look { $0.services(of: device, mtu: mtu) }
    }
  }

  /// Reads a characteristic.
  ///
  /// ```swift
  /// let octets = try await device.session { device.read("battery-level") }
  ///   .first(within: .seconds(30))
  /// ```
  ///
  /// - Returns: The value. Fails with `DeviceFailure`.
  public func read(_ selector: CharacteristicSelector) -> Signal<[UInt8]> {
    read(selector, offset: 0)
  }

  /// Reads a characteristic from an offset; bluetoothd reads long values to their end.
  ///
  /// The read is sent even if the characteristic does not list `read`, as bluetoothd does: the
  /// device decides.
  ///
  /// ```swift
  /// let rest = device.session { device.read("firmware-revision-string", offset: 4) }
  /// ```
  ///
  /// - Returns: The octets from the offset on. Fails with `invalid-value` for an offset beyond the
  ///   end.
  public func read(_ selector: CharacteristicSelector, offset: Int) -> Signal<[UInt8]> {
    Signal.operation(of: scheduler, "reading") { [self] sink in
      let value: [UInt8]
      do {
        guard offset >= 0, offset <= GattCharacteristic1.longestValue else {
          throw Problem.offsetTooFar(offset)
        }
        value = try await channel(selector).read(offset: offset)
      } catch {
        throw await attributeFailure(error, .read, "reading", selector)
      }
      try await sink(value)
    }
  }

  /// Writes a characteristic.
  ///
  /// A kind that the characteristic does not offer is refused before it is sent, with
  /// `not-supported`. `automatic` requests a response if the characteristic supports that, else
  /// writes without. A request that is longer than the MTU less three octets is sent as a long
  /// write. A command that is longer is rejected before it is sent.
  ///
  /// ```swift
  /// let alarm = device.session { device.write([2], to: "alert-level", kind: .request) }
  /// try await alarm.first(within: .seconds(30))
  /// ```
  ///
  /// - Returns: One value once bluetoothd has replied: for a request, once the device has the
  ///   value.
  public func write(
    _ value: [UInt8],
    to selector: CharacteristicSelector,
    kind: WriteKind
  ) -> Signal<Void> {
    write(value, to: selector, kind: kind, offset: 0)
  }

  /// Writes a characteristic from an offset, with a long write if that is not 0.
  ///
  /// If only write without response is supported, `automatic` is rejected before it is sent:
  /// commands carry no offset.
  ///
  /// ```swift
  /// let patched = device.session {
  ///   device.write([0x2a], to: "device-name", kind: .request, offset: 3)
  /// }
  /// ```
  ///
  /// - Returns: One value once the device has the octets. Fails with `invalid-value` for an offset
  ///   beyond the end, and with `not-supported` when the device has no long writes.
  public func write(
    _ value: [UInt8],
    to selector: CharacteristicSelector,
    kind: WriteKind,
    offset: Int
  ) -> Signal<Void> {
    Signal.operation(of: scheduler, "writing") { [self] sink in
      do {
        let longest = GattCharacteristic1.longestValue
        guard value.count <= longest else { throw Problem.tooLong(octets: value.count) }
        guard (0...longest - value.count).contains(offset) else {
          throw Problem.writtenTooFar(octets: value.count, offset: offset)
        }
        let channel = try channel(selector)
        try channel.requireOffer(of: .write(kind))
        let type = Self.type(kind, channel.view.properties ?? [])
        if type == GattCharacteristic1.WriteType.command {
          guard offset == 0 else { throw Problem.commandFrom(offset) }
          try await requirePlace(for: value.count, selector)
        }
        try await channel.write(value, type: type, offset: offset)
      } catch {
        throw await attributeFailure(error, .write, "writing", selector)
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
    case .automatic where CharacteristicOperation.write(.command).isOffered(by: offered):
      GattCharacteristic1.WriteType.command
    case .automatic: nil
    }
  }

  // MARK: Selectors

  /// The channel of the characteristic that a selector selects.
  func channel(_ selector: CharacteristicSelector) throws -> CharacteristicChannel {
    let generation = client.attributeGeneration
    let known: CharacteristicChannel? = state.withLock { state in
      guard let device = state.device else { return nil }
      return state.channels.channel(selector, of: device, generation: generation)
    }
    if let known { return known }
    let device = try linkedDevice()
    let view = try client.look { tree in
      let all = tree.characteristics(of: device)
      if all.isEmpty, !tree.isResolved(device) { throw Problem.servicesUnread }
      return try selector.resolved(among: all)
    }
    let channel = link(to: device).channel(of: view)
    state.withLock {
      $0.channels.keep(channel, selector, of: device, generation: generation)
    }
    return channel
  }

  /// The device.
  ///
  /// - Throws: Why there is no connection to it now.
  func linkedDevice() throws -> ObjectPath {
    let device = try connectedDevice()
    guard client.look({ $0.isConnected(device) }) else {
      throw link(to: device).absence
    }
    return device
  }

  /// The failure of an operation on an attribute.
  func attributeFailure(
    _ error: any Error,
    _ call: ErrorSituation.Call,
    _ verb: String,
    _ selector: CharacteristicSelector
  ) async -> any Error {
    let name = "\(selector)"
    let channel = try? channel(selector)
    let isWriterHere = channel?.state.withLock { $0.isWriterHere } ?? false
    let failure = await explained(
      error,
      call,
      "\(verb) \(name)",
      attribute: name,
      isWriterHere: isWriterHere
    )
    // Everything else is refused before it is sent.
    guard call == .read, let failure = failure as? DeviceFailure,
      failure.code == .notPermitted || failure.code == .notSupported,
      let offered = channel?.view.properties,
      !CharacteristicOperation.read.isOffered(by: offered)
    else { return failure }
    return failure.with(meaning: "\(failure.meaning); the characteristic supports \(offered.list)")
  }
}

extension BlueZClient {
  /// Counts the changes of attribute objects.
  var attributeGeneration: UInt64 { state.withLock { $0.tree.attributeGeneration } }
}

extension CharacteristicChannel {
  /// Refuses an operation that the characteristic does not offer.
  ///
  /// A read is no such operation: bluetoothd sends it in any case, and there is no other way to ask
  /// for the value.
  func requireOffer(of operation: CharacteristicOperation) throws(Problem) {
    guard let offered = view.properties, let refusal = operation.refusal(by: offered) else {
      return
    }
    throw Problem.notOffered(refusal)
  }
}

extension Problem {
  static func offsetTooFar(_ offset: Int) -> Problem {
    permanent(
      .invalidValue,
      "the offset \(offset) is beyond every value: an attribute has at most "
        + "\(GattCharacteristic1.longestValue) bytes",
      hint: "read from 0, or from an offset within the value"
    )
  }

  static func writtenTooFar(octets: Int, offset: Int) -> Problem {
    permanent(
      .invalidValue,
      "\(octets) bytes at offset \(offset) do not fit: an attribute has at most "
        + "\(GattCharacteristic1.longestValue) bytes",
      hint: "write fewer bytes, or from an offset within the value"
    )
  }

  static func notOffered(_ refusal: CharacteristicOperation.Refusal) -> Problem {
    permanent(
      .notSupported,
      "the characteristic \(refusal)",
      hint: refusal.remedy.map { "\($0)" } ?? "\(.inspect) shows what each characteristic offers"
    )
  }

  /// - Source: BlueZ, `src/gatt-client.c` (characteristic_write_value): a command with an offset is
  ///   not supported.
  static func commandFrom(_ offset: Int) -> Problem {
    permanent(
      .notSupported,
      "a write without response carries no offset, and this one starts at offset \(offset)",
      hint: "write from the start of the value, or with a request"
    )
  }

  static func tooLong(octets: Int) -> Problem {
    permanent(
      .invalidValue,
      "the value has \(octets) bytes, an attribute at most \(GattCharacteristic1.longestValue)",
      hint: "split it into several writes, see the device's documentation"
    )
  }
}

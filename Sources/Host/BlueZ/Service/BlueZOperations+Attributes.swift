// Attributes: reading and writing characteristics and descriptors, and writers for many commands.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  func services() async throws -> [GATTService] {
    try await explaining(.objects, "listing the services") {
      try await client.synchronize()
      let device = try linkedDevice()
      let mtu = try await linkMTU(of: device)
      return client.withTree { $0.services(of: device, mtu: mtu) }
    }
  }

  func read(_ selector: CharacteristicSelector, offset: Int) async throws -> [UInt8] {
    do {
      guard offset >= 0, offset <= GattCharacteristic1.longestValue else {
        throw Cause.offsetTooFar(offset)
      }
      return try await channel(selector).read(offset: offset)
    } catch {
      throw await attributeFailure(error, .read, "reading", selector)
    }
  }

  func write(
    _ value: [UInt8], to selector: CharacteristicSelector, kind: WriteKind, offset: Int
  ) async throws {
    do {
      let longest = GattCharacteristic1.longestValue
      guard value.count <= longest else { throw Cause.tooLong(octets: value.count) }
      guard (0...longest - value.count).contains(offset) else {
        throw Cause.writtenTooFar(octets: value.count, offset: offset)
      }
      let channel = try channel(selector)
      try channel.requireOffer(of: .write(kind))
      let type = Self.type(kind, channel.view.properties ?? [])
      if type == GattCharacteristic1.WriteType.command {
        guard offset == 0 else { throw Cause.commandFrom(offset) }
        try await requireFitsMTU(for: value.count, selector)
      }
      try await channel.write(value, type: type, offset: offset)
    } catch {
      throw await attributeFailure(error, .write, "writing", selector)
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
    let view = try client.withTree { tree in
      let all = tree.characteristics(of: device)
      if all.isEmpty, !tree.isResolved(device) { throw Cause.servicesUnread }
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
    guard client.withTree({ $0.isConnected(device) }) else {
      throw link(to: device).absence
    }
    return device
  }

  /// The failure of an operation on an attribute.
  func attributeFailure(
    _ error: any Error, _ call: ErrorSituation.Call, _ verb: String,
    _ selector: CharacteristicSelector
  ) async -> any Error {
    let name = "\(selector)"
    let channel = try? channel(selector)
    let isWriteAcquiredLocally = channel?.isWriteAcquiredLocally ?? false
    let failure = await explained(
      error, call, "\(verb) \(name)", attribute: name,
      isWriteAcquiredLocally: isWriteAcquiredLocally
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
  func requireOffer(of operation: CharacteristicOperation) throws(Cause) {
    guard let offered = view.properties, let refusal = operation.refusal(by: offered) else {
      return
    }
    throw Cause.notOffered(refusal)
  }
}

extension Cause {
  static func offsetTooFar(_ offset: Int) -> Cause {
    permanent(
      .invalidValue,
      "the offset \(offset) is beyond every value: an attribute has at most "
        + "\(GattCharacteristic1.longestValue) bytes",
      hint: "read from 0, or from an offset within the value"
    )
  }

  static func writtenTooFar(octets: Int, offset: Int) -> Cause {
    permanent(
      .invalidValue,
      "\(octets) bytes at offset \(offset) do not fit: an attribute has at most "
        + "\(GattCharacteristic1.longestValue) bytes",
      hint: "write fewer bytes, or from an offset within the value"
    )
  }

  static func notOffered(_ refusal: CharacteristicOperation.Refusal) -> Cause {
    permanent(
      .notSupported, "the characteristic \(refusal)",
      hint: refusal.remedy.map { "\($0)" } ?? "\(.inspect) shows what each characteristic offers"
    )
  }

  /// - Source: BlueZ, `src/gatt-client.c` (characteristic_write_value): a command with an offset is
  ///   not supported.
  static func commandFrom(_ offset: Int) -> Cause {
    permanent(
      .notSupported,
      "a write without response carries no offset, and this one starts at offset \(offset)",
      hint: "write from the start of the value, or with a request"
    )
  }

  static func tooLong(octets: Int) -> Cause {
    permanent(
      .invalidValue,
      "the value has \(octets) bytes, an attribute at most \(GattCharacteristic1.longestValue)",
      hint: "split it into several writes, see the device's documentation"
    )
  }
}

extension BlueZOperations {
  func readDescriptor(_ selector: DescriptorSelector) async throws -> [UInt8] {
    try await explaining(.read, "reading \(selector)", attribute: selector.description) {
      let (view, calls) = try descriptor(selector)
      let reply = try await calls.call(.bluez(view.path, GattDescriptor1.readValue, [:]))
      return try CharacteristicChannel.checked(reply.output(of: GattDescriptor1.readValue))
    }
  }

  func writeDescriptor(_ value: [UInt8], to selector: DescriptorSelector) async throws {
    try await explaining(.write, "writing \(selector)", attribute: selector.description) {
      guard value.count <= GattCharacteristic1.longestValue else {
        throw Cause.tooLong(octets: value.count)
      }
      let (view, calls) = try descriptor(selector)
      guard view.uuid != .clientCharacteristicConfiguration else {
        throw Cause.configurationWrite(view.characteristic)
      }
      _ = try await calls.call(.bluez(view.path, GattDescriptor1.writeValue, (value, [:])))
    }
  }

  private func descriptor(
    _ selector: DescriptorSelector
  ) throws -> (DescriptorView, AttributeCalls) {
    let device = try linkedDevice()
    let view = try client.withTree { try selector.resolved(in: $0, of: device) }
    return (view, link(to: device).calls)
  }
}

extension Cause {
  /// - Source: BlueZ, `src/gatt-client.c` (descriptor_write_value).
  static func configurationWrite(_ characteristic: CharacteristicView) -> Cause {
    permanent(
      .notPermitted,
      "bluetoothd manages the Client Characteristic Configuration, and rejects writes to it",
      hint: "subscribe (\(.subscribe)): that writes it, for notifications or indications as the "
        + "characteristic offers"
    )
  }
}

extension BlueZOperations {
  func acquireWriter(_ selector: CharacteristicSelector) -> Signal<any CommandWriter> {
    Signal<any CommandWriter>.using(
      acquire: Signal<AcquiredWriter>.operation(of: scheduler, "acquiring a writer") {
        [self] sink in
        let writer: AcquiredWriter
        do {
          let channel = try channel(selector)
          try channel.requireOffer(of: .acquireWriter)
          writer = try await AcquiredWriter(of: channel, selector, self)
        } catch {
          throw await attributeFailure(error, .acquireWrite, "acquiring", selector)
        }
        try await sink(writer)
      },
      release: { writer in
        Signal<Void> { sink in
          try await writer.release()
          try await sink(())
        }
      },
      releaseLimit: client.limits.call
    ) { .just($0) }
  }
}

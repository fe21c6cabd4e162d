// The signal of each operation. DeviceOperations describes them.

public import Signals

extension Device {
  // MARK: The connection

  /// Connects for the current turn: ``DeviceOperations/connect(keep:expecting:)``.
  public func connect() -> Signal<Void> { connect(keep: false, expecting: []).map { _ in } }

  /// Connects: ``DeviceOperations/connect(keep:expecting:)``.
  public func connect(keep: Bool, expecting: [ServiceSelector]) -> Signal<LinkOrigin> {
    operation("connecting") { try await $0.connect(keep: keep, expecting: expecting) }
  }

  /// Disconnects: ``DeviceOperations/disconnect()``.
  public func disconnect() -> Signal<Void> {
    operation("disconnecting") { try await $0.disconnect() }
  }

  package func release() -> Signal<Void> { operation("disconnecting") { try await $0.release() } }

  package func leave() -> Signal<Bool> { operation("disconnecting") { try await $0.leave() } }

  package func awaitOtherRuns() -> Signal<Bool> {
    operation("waiting for another run") { try await $0.awaitOtherRuns() }
  }

  /// Measures the connection: ``ConnectionOperations/rssi()``.
  public func rssi() -> Signal<LinkStrength> {
    operation("measuring the link") { try await $0.rssi() }
  }

  /// Sends the ATT MTU: ``ConnectionOperations/mtu()``.
  public func mtu() -> Signal<Int> { operation("asking for the MTU") { try await $0.mtu() } }

  /// Sends the connection parameters: ``ConnectionOperations/connectionParameters()``.
  public func connectionParameters() -> Signal<ConnectionParameters> {
    operation("asking for the timing of the link") { try await $0.connectionParameters() }
  }

  // MARK: Attributes

  /// Sends the attributes: ``ConnectionOperations/services()``.
  public func services() -> Signal<[GATTService]> {
    operation("listing the services") { try await $0.services() }
  }

  /// Reads a characteristic: ``ConnectionOperations/read(_:offset:)``.
  public func read(_ characteristic: CharacteristicSelector, offset: Int = 0) -> Signal<[UInt8]> {
    operation("reading") { try await $0.read(characteristic, offset: offset) }
  }

  /// Reads a characteristic whose value has a type: `device.read(.batteryLevel)`.
  public func read<Value>(_ characteristic: Characteristic<Value>) -> Signal<Value> {
    operation("reading") { try await $0.read(characteristic) }
  }

  /// Writes a characteristic: ``ConnectionOperations/write(_:to:kind:offset:)``.
  public func write(
    _ value: [UInt8], to characteristic: CharacteristicSelector, kind: WriteKind = .request,
    offset: Int = 0
  ) -> Signal<Void> {
    operation("writing") {
      try await $0.write(value, to: characteristic, kind: kind, offset: offset)
    }
  }

  /// Writes a value that has a type: `device.write("mild alert", to: .alertLevel)`.
  public func write<Value>(
    _ value: Value, to characteristic: Characteristic<Value>, kind: WriteKind = .request
  ) -> Signal<Void> {
    operation("writing") { try await $0.write(value, to: characteristic, kind: kind) }
  }

  /// Reads a descriptor: ``ConnectionOperations/readDescriptor(_:)``.
  public func readDescriptor(_ descriptor: DescriptorSelector) -> Signal<[UInt8]> {
    operation("reading") { try await $0.readDescriptor(descriptor) }
  }

  /// Writes a descriptor: ``ConnectionOperations/writeDescriptor(_:to:)``.
  public func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) -> Signal<Void> {
    operation("writing") { try await $0.writeDescriptor(value, to: descriptor) }
  }

  // MARK: The bond

  /// Pairs: ``ConnectionOperations/pair(_:)``.
  public func pair(_ answers: PairingAnswers) -> Signal<PairingOutcome> {
    operation("pairing") { try await $0.pair(answers) }
  }

  /// Removes the device and its bond: ``DeviceOperations/unpair()``.
  public func unpair() -> Signal<Void> { operation("unpairing") { try await $0.unpair() } }

  /// Sets whether the host trusts the device: ``ConnectionOperations/trust(_:)``.
  public func trust(_ isTrusted: Bool) -> Signal<Void> {
    operation(isTrusted ? "trusting" : "ending the trust") { try await $0.trust(isTrusted) }
  }
}

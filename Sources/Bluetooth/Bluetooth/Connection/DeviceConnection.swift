// What async code does with a connected device.

public import Signals

/// A connection that `withConnection(within:expecting:_:)` of a ``Device`` made, for the
/// time of its closure.
///
/// Its ``ConnectionOperations`` may be called from any task, and belong to the turn of the connection.
/// Besides their own failures they throw `TurnEnded` once the closure has returned, and
/// `OtherScheduler` inside a turn of another scheduler.
///
/// Operations of concurrent tasks are sent as they come. A read waits for nothing but this: where a
/// loop over values was left early, the next operation waits until its subscription has ended.
public final class DeviceConnection: ConnectionOperations {
  /// The device, for signals that this type has no function for: see ``first(of:)``.
  public let device: any Device
  /// Whether this connection was made here, or existed before and is left up.
  public let origin: LinkOrigin
  let scope: TurnScope

  init(to device: any Device, origin: LinkOrigin, in scope: TurnScope) {
    self.device = device
    self.origin = origin
    self.scope = scope
  }

  // MARK: Any signal

  /// Awaits the first value of a signal of this device.
  ///
  /// ```swift
  /// let level = try await connection.first(
  ///   of: connection.device.read(.batteryLevel).timeout(.seconds(2)))
  /// ```
  ///
  /// - Throws: The signal's failure, `NoValue` for an empty completion; what every operation throws.
  public func first<Value: Sendable>(of signal: Signal<Value>) async throws -> Value {
    try await scope.first(of: signal, "an operation")
  }

  /// The values of a signal of this device, for `for try await`.
  ///
  /// The signal starts with the iteration. Leaving the loop cancels it; the next operation and the end
  /// of `withConnection` wait until its clean-up is done.
  ///
  /// ```swift
  /// let device = connection.device
  /// let levels = Signal.poll(every: .seconds(5)) { device.read(.batteryLevel) }
  /// for try await level in connection.values(of: levels).prefix(10) { print(level) }
  /// ```
  public func values<Value: Sendable>(of signal: Signal<Value>) -> SignalValues<Value> {
    scope.values(of: signal)
  }

  // MARK: Operations

  /// Performs an operation in the turn of the connection.
  private func perform<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable (any DeviceOperations) async throws -> Value
  ) async throws -> Value {
    try await scope.first(of: device.operation(name, body), name)
  }

  public func services() async throws -> [GATTService] {
    try await perform("listing the services") { try await $0.services() }
  }

  public func read(_ characteristic: CharacteristicSelector, offset: Int) async throws -> [UInt8] {
    try await perform("reading \(characteristic)") {
      try await $0.read(characteristic, offset: offset)
    }
  }

  public func write(
    _ value: [UInt8], to characteristic: CharacteristicSelector, kind: WriteKind, offset: Int
  ) async throws {
    try await perform("writing \(characteristic)") {
      try await $0.write(value, to: characteristic, kind: kind, offset: offset)
    }
  }

  public func readDescriptor(_ descriptor: DescriptorSelector) async throws -> [UInt8] {
    try await perform("reading \(descriptor)") { try await $0.readDescriptor(descriptor) }
  }

  public func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) async throws {
    try await perform("writing \(descriptor)") {
      try await $0.writeDescriptor(value, to: descriptor)
    }
  }

  public func mtu() async throws -> Int {
    try await perform("asking for the MTU") { try await $0.mtu() }
  }

  public func rssi() async throws -> LinkStrength {
    try await perform("measuring the RSSI") { try await $0.rssi() }
  }

  public func connectionParameters() async throws -> ConnectionParameters {
    try await perform("asking for the connection parameters") {
      try await $0.connectionParameters()
    }
  }

  public func pair(_ answers: PairingAnswers) async throws -> PairingOutcome {
    try await perform("pairing") { try await $0.pair(answers) }
  }

  public func trust(_ isTrusted: Bool) async throws {
    try await perform("changing the trust") { try await $0.trust(isTrusted) }
  }
}

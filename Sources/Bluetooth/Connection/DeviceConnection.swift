// What async code does with a connected device.
//
// A thin layer: each operation runs the signal of the same name in the turn of the connection.

public import Signals

/// A connection that `withConnection(within:expecting:_:)` of a ``DeviceService`` made, for the
/// time of its closure.
///
/// Its operations may be called from any task, and belong to the turn of the connection. Once the
/// closure has returned they fail with `TurnEnded`.
///
/// Operations of concurrent tasks are sent as they come. A read waits for nothing but this: where a
/// loop over values was left early, the next operation waits until its subscription has ended.
public final class DeviceConnection: Sendable {
  /// The device, for signals that this type has no function for: see ``first(of:)``.
  public let device: any DeviceService
  /// Whether this connection was made here, or existed before and is left up.
  public let origin: LinkOrigin
  let scope: TurnScope

  init(to device: any DeviceService, origin: LinkOrigin, in scope: TurnScope) {
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
  /// - Throws: The signal's failure, `NoValue` for an empty completion; `TurnEnded` after the end of
  ///   the closure; `OtherScheduler` inside a turn of another scheduler.
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

  // MARK: Values of attributes

  /// Reads a characteristic: `try await connection.read("battery-level")`.
  ///
  /// ```swift
  /// let octets = try await connection.read("battery-level")
  /// ```
  ///
  /// - Throws: ``DeviceFailure`` as ``DeviceService/read(_:)``; what ``first(of:)`` throws.
  public func read(_ characteristic: CharacteristicSelector) async throws -> [UInt8] {
    try await scope.first(of: device.read(characteristic), "reading \(characteristic)")
  }

  /// Reads a characteristic from an offset.
  public func read(
    _ characteristic: CharacteristicSelector,
    offset: Int
  ) async throws -> [UInt8] {
    let signal = device.read(characteristic, offset: offset)
    return try await scope.first(of: signal, "reading \(characteristic)")
  }

  /// Reads a characteristic whose value has a type: `try await connection.read(.batteryLevel)`.
  ///
  /// ```swift
  /// let percent = try await connection.read(.batteryLevel)
  /// ```
  ///
  /// - Throws: ``MalformedValue`` for a value that is not in the format of the characteristic; what
  ///   ``first(of:)`` throws.
  public func read<Value>(_ characteristic: Characteristic<Value>) async throws -> Value {
    try await scope.first(of: device.read(characteristic), "reading \(characteristic.selector)")
  }

  /// Writes a characteristic: `try await connection.write([1], to: "alert-level")`.
  ///
  /// ```swift
  /// try await connection.write([1], to: "alert-level")
  /// ```
  ///
  /// - Parameters:
  ///   - value: At most 512 octets; in a command at most the MTU less three.
  ///   - characteristic: The characteristic that is written.
  ///   - kind: With response, unless another kind is given.
  /// - Throws: ``DeviceFailure`` as ``DeviceService/write(_:to:kind:)``; what ``first(of:)`` throws.
  public func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind = .request
  ) async throws {
    let signal = device.write(value, to: characteristic, kind: kind)
    try await scope.first(of: signal, "writing \(characteristic)")
  }

  /// Writes a value that has a type: `try await connection.write("mild alert", to: .alertLevel)`.
  ///
  /// ```swift
  /// try await connection.write("mild alert", to: .alertLevel)
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value to write.
  ///   - characteristic: Its name and its format.
  ///   - kind: With response, unless another kind is given.
  /// - Throws: ``MalformedValue``, before anything is sent, for a value that the format cannot carry;
  ///   what ``first(of:)`` throws.
  public func write<Value>(
    _ value: Value,
    to characteristic: Characteristic<Value>,
    kind: WriteKind = .request
  ) async throws {
    let signal = device.write(value, to: characteristic, kind: kind)
    try await scope.first(of: signal, "writing \(characteristic.selector)")
  }

  /// Reads a descriptor.
  ///
  /// ```swift
  /// let description = try await connection.readDescriptor(
  ///   DescriptorSelector(parsing: "battery-level/characteristic-user-description"))
  /// ```
  public func readDescriptor(_ descriptor: DescriptorSelector) async throws -> [UInt8] {
    try await scope.first(of: device.readDescriptor(descriptor), "reading \(descriptor)")
  }

  /// Writes a descriptor with a request.
  ///
  /// ```swift
  /// try await connection.writeDescriptor(
  ///   [5, 0, 60, 0], to: DescriptorSelector(parsing: "temperature-measurement/2906"))
  /// ```
  ///
  /// - Throws: ``DeviceFailure`` as ``DeviceAttributes/writeDescriptor(_:to:)``; what
  ///   ``first(of:)`` throws.
  public func writeDescriptor(
    _ value: [UInt8],
    to descriptor: DescriptorSelector
  ) async throws {
    let signal = device.writeDescriptor(value, to: descriptor)
    try await scope.first(of: signal, "writing \(descriptor)")
  }

  // MARK: The connection and the device

  /// The attributes of the device, in the order of their handles.
  ///
  /// ```swift
  /// for service in try await connection.services() { print(service.uuid) }
  /// ```
  public func services() async throws -> [GATTService] {
    try await scope.first(of: device.services(), "listing the services")
  }

  /// The ATT MTU of the connection, in octets.
  ///
  /// ```swift
  /// let longest = try await connection.mtu() - 3
  /// ```
  public func mtu() async throws -> Int {
    try await scope.first(of: device.mtu(), "asking for the MTU")
  }

  /// The RSSI and TX power of the connection, in dBm.
  ///
  /// ```swift
  /// let strength = try await connection.rssi()
  /// print("\(strength.rssi) dBm")
  /// ```
  public func rssi() async throws -> LinkStrength {
    try await scope.first(of: device.rssi(), "measuring the RSSI")
  }

  /// The current connection parameters.
  ///
  /// ```swift
  /// print(try await connection.connectionParameters())
  /// ```
  public func connectionParameters() async throws -> ConnectionParameters {
    let signal = device.connectionParameters()
    return try await scope.first(of: signal, "asking for the connection parameters")
  }

  /// Pairs with the device. The bond outlives the connection.
  ///
  /// ```swift
  /// let outcome = try await connection.pair(PairingAnswers(secret: Secret("123456")))
  /// ```
  public func pair(_ answers: PairingAnswers) async throws -> PairingOutcome {
    try await scope.first(of: device.pair(answers), "pairing")
  }
}

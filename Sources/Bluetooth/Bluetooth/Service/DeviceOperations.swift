// The operations on one device, as async functions: what each does, and how it fails.
//
// Streams, and how an operation is run, are Device's.
// The functions are not members of Device itself: beside signals of the same names, async code
// would have to state the type of each signal that it does not run at once.

/// Operations over the connection to a device.
///
/// A ``DeviceConnection`` has them for `async` code, and a ``Device`` has a signal of the same
/// name for each, which sends the result once. Without a connection they fail with `not-connected`;
/// only ``pair(_:)`` connects. ``Device`` describes what their failures have in common.
public protocol ConnectionOperations: Sendable {
  /// The attributes of the device: services with their characteristics and descriptors, in the order
  /// of their handles.
  ///
  /// ```swift
  /// for service in try await connection.services() { print(service.uuid) }
  /// ```
  ///
  /// - Throws: `not-connected`.
  /// - Source: BlueZ, `doc/org.bluez.GattService.rst`.
  func services() async throws -> [GATTService]

  /// Reads a characteristic: at most 512 bytes; a long value is read to its end.
  ///
  /// The read is sent even if the characteristic does not list `read`, as bluetoothd does: the device
  /// decides.
  ///
  /// ```swift
  /// let bytes = try await connection.read("battery-level")
  /// let rest = try await connection.read("firmware-revision-string", offset: 4)
  /// ```
  ///
  /// - Parameters:
  ///   - characteristic: The characteristic.
  ///   - offset: The first byte to read; the length of the value gives none.
  /// - Throws: `characteristic-missing` (permanent, but transient while the device exports no services
  ///   at all); `not-permitted`, `not-paired`, `not-supported`, `refused` with the ATT error of the
  ///   device, `invalid-value` for an offset beyond the end (permanent); `not-connected`, `link-lost`,
  ///   `busy` (transient).
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (ReadValue), `src/gatt-client.c`
  ///   (create_gatt_dbus_error).
  func read(_ characteristic: CharacteristicSelector, offset: Int) async throws -> [UInt8]

  /// Writes a characteristic. Must not be repeated blindly: see ``Device``.
  ///
  /// A kind that the characteristic does not offer is rejected before it is sent, with
  /// `not-supported`. `automatic` is a request if the characteristic supports that, otherwise a
  /// command. A request of more than the MTU less three bytes, or from an offset, is sent as a long
  /// write (Prepare Write and Execute Write), which not every device supports. The bytes before an
  /// offset stay; the device decides what happens to those after the written ones.
  ///
  /// ```swift
  /// try await connection.write([1], to: "alert-level")
  /// try await connection.write([2], to: "alert-level", kind: .command)
  /// try await connection.write([0x2a], to: "device-name", kind: .request, offset: 3)
  /// ```
  ///
  /// - Parameters:
  ///   - value: At most 512 bytes; in a command at most the MTU less three. A longer value is rejected
  ///     before it is sent, with both numbers.
  ///   - characteristic: The characteristic.
  ///   - kind: The device responds to a `request`; only bluetoothd replies to a `command`: it is
  ///     unknown whether the device has it.
  ///   - offset: The first byte to write; the length of the value appends. Commands carry none.
  /// - Throws: As ``read(_:offset:)``, and `invalid-value` for a length that the device or the protocol
  ///   does not accept.
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (WriteValue), `src/gatt-client.c`
  ///   (characteristic_write_value); Bluetooth Core 5.4, Vol 3, Part F §3.4.6.
  func write(
    _ value: [UInt8], to characteristic: CharacteristicSelector, kind: WriteKind, offset: Int
  ) async throws

  /// Reads a descriptor: at most 512 bytes.
  ///
  /// ```swift
  /// let description = try await connection.readDescriptor(
  ///   DescriptorSelector(parsing: "battery-level/characteristic-user-description"))
  /// ```
  ///
  /// - Throws: As ``read(_:offset:)``; `descriptor-missing` when the characteristic does not have it.
  /// - Source: BlueZ, `doc/org.bluez.GattDescriptor.rst` (ReadValue).
  func readDescriptor(_ descriptor: DescriptorSelector) async throws -> [UInt8]

  /// Writes a descriptor with a request.
  ///
  /// The Client Characteristic Configuration is rejected with the hint to subscribe: bluetoothd
  /// writes it itself.
  ///
  /// ```swift
  /// try await connection.writeDescriptor(
  ///   [5, 0, 60, 0], to: DescriptorSelector(parsing: "temperature-measurement/2906"))
  /// ```
  ///
  /// - Parameters:
  ///   - value: At most 512 bytes.
  ///   - descriptor: The descriptor.
  /// - Throws: As ``write(_:to:kind:offset:)``, and must not be repeated blindly either.
  /// - Source: BlueZ, `doc/org.bluez.GattDescriptor.rst` (WriteValue), `src/gatt-client.c`.
  func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) async throws

  /// The ATT MTU of the connection, in bytes. A command, a notification or an indication carries at
  /// most three less.
  ///
  /// bluetoothd exchanges it by itself when it connects, and has no call to request another. While
  /// the MTU is still the initial 23 bytes, the exchange is given a moment.
  ///
  /// ```swift
  /// let longest = try await connection.mtu() - 3
  /// ```
  ///
  /// - Throws: `not-connected`; `not-supported` when bluetoothd does not report it (before 5.62, or
  ///   when it exports no characteristic of the device).
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (MTU).
  func mtu() async throws -> Int

  /// The RSSI and TX power of the connection, in dBm.
  ///
  /// The RSSI that org.bluez has is that of advertisements, and absent while a device is connected:
  /// this needs a ``LinkMeter``.
  ///
  /// ```swift
  /// let strength = try await connection.rssi()
  /// print("\(strength.rssi) dBm")
  /// ```
  ///
  /// - Throws: `not-connected` (transient); `capability-missing` or `sockets-missing` (unavailable)
  ///   when this process may not query the kernel; `not-supported` without a meter.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.5.4: org.bluez has no such call.
  func rssi() async throws -> LinkStrength

  /// The current connection parameters.
  ///
  /// bluetoothd does not report them: they need a ``LinkMeter`` that observed the connection.
  ///
  /// ```swift
  /// print(try await connection.connectionParameters().interval)
  /// ```
  ///
  /// - Throws: `timing-unknown` when no process observed them.
  func connectionParameters() async throws -> ConnectionParameters

  /// Changes the connection parameters, and waits until both sides use them.
  ///
  /// bluetoothd has no call for this: it needs a ``LinkMeter`` and the capability CAP_NET_RAW. The
  /// device may refuse them, and may request others at any later time.
  ///
  /// ```swift
  /// let wanted = ConnectionParameters(
  ///   interval: .milliseconds(15), latency: 0, supervisionTimeout: .seconds(4))
  /// print(try await connection.changeConnectionParameters(to: wanted).interval)
  /// ```
  ///
  /// - Parameter wanted: The parameters, for which ``ConnectionParameters/areValid`` must be true.
  /// - Returns: The parameters that were agreed on.
  /// - Throws: `not-connected`, `busy` (transient); `refused` (permanent); `capability-missing` or
  ///   `sockets-missing` (unavailable) when this process may not send commands to the controller;
  ///   `not-supported` without a meter.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.18: org.bluez has no such call.
  func changeConnectionParameters(
    to wanted: ConnectionParameters
  ) async throws -> ConnectionParameters

  /// The PHY of the connection.
  ///
  /// bluetoothd does not report it: it needs a ``LinkMeter`` and the capability CAP_NET_RAW.
  ///
  /// ```swift
  /// print(try await connection.phy().transmit.rawValue)
  /// ```
  ///
  /// - Throws: `not-connected` (transient); `capability-missing` or `sockets-missing` (unavailable)
  ///   when this process may not send commands to the controller; `not-supported` without a meter,
  ///   and with a controller that has no command for it.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.47: org.bluez has no such call.
  func phy() async throws -> LinkPHY

  /// Changes the PHY of the connection in both directions, and waits until both sides use the one that
  /// was agreed on.
  ///
  /// bluetoothd has no call for this: it needs a ``LinkMeter`` and the capability CAP_NET_RAW. A device
  /// that does not support the wanted PHY keeps that of before, which is not an error.
  ///
  /// ```swift
  /// let agreed = try await connection.changePHY(to: .twoMegabit)
  /// print(agreed == LinkPHY(.twoMegabit))
  /// ```
  ///
  /// - Returns: The PHY that was agreed on.
  /// - Throws: `not-connected`, `busy` (transient); `not-supported` when the controller lacks the
  ///   command or the PHY, when the device cannot change its PHY, and without a meter (permanent);
  ///   `capability-missing` or `sockets-missing` (unavailable) when this process may not send commands
  ///   to the controller.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.49: org.bluez has no such call.
  func changePHY(to wanted: PHY) async throws -> LinkPHY

  /// Pairs with the device, connecting for the current turn if necessary. The bond outlives the turn.
  ///
  /// An agent of this program answers bluetoothd's requests, and is registered for that time. A pairing
  /// that ends early, by a deadline or a cancellation, is cancelled and leaves no bond. Just Works
  /// pairings of several devices run at the same time; any other waits for its turn, within the
  /// deadline. Answers that refuse every pairing never leave a new bond: one that the device makes
  /// without a question is removed, and the pairing fails.
  ///
  /// ```swift
  /// let outcome = try await connection.pair(PairingAnswers(secret: Secret("123456")))
  /// ```
  ///
  /// - Returns: Whether it was paired now or before.
  /// - Throws: `pairing-failed`, which may be transient when neither side rejected it; `busy`, and the
  ///   failures of connecting.
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Pair, CancelPairing), `doc/org.bluez.Agent.rst`.
  func pair(_ answers: PairingAnswers) async throws -> PairingOutcome

  /// Sets whether the host trusts the device: it may then use services of this host without
  /// authorization.
  ///
  /// ```swift
  /// try await connection.trust(true)
  /// ```
  ///
  /// - Throws: `not-found` for a device that bluetoothd does not know (transient).
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Trusted).
  func trust(_ isTrusted: Bool) async throws
}

/// All operations on a device, including those that make and end a connection.
///
/// Implemented by the client of bluetoothd, and by doubles in tests. The signals of a
/// ``Device`` and `withConnection` call them on the loop of the device's scheduler, in one of its
/// turns.
public protocol DeviceOperations: ConnectionOperations {
  /// Finds the device if necessary, connects, and waits until its services are resolved.
  ///
  /// Where several devices match a name, an alias or a service, the strongest of those that are
  /// received in the first second of the scan is used; ``Device/candidates`` are all of them.
  ///
  /// The connection belongs to the turn in which it is made, and ends with it. A connection that
  /// existed before is used and left up. Attempts with a transient failure are repeated within the
  /// deadline, at most five, each after the previous connection is down; the failure counts them.
  ///
  /// ```swift
  /// let connected = thermometer.connect(keep: false, expecting: ["health-thermometer"])
  ///   .flattenMap { _ in thermometer.read(.batteryLevel) }
  /// ```
  ///
  /// - Parameters:
  ///   - keep: Leaves the connection up at the end of the turn.
  ///   - expecting: Services without which the connection fails permanently.
  /// - Returns: The origin of the connection, once it can be used.
  /// - Throws: `not-found`, `connect-failed`, `busy`, `link-lost` (transient); `service-missing`,
  ///   `connect-outside-turn`, `inside-subscription`, `ambiguous` (permanent).
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Connect, ServicesResolved), `src/error.h`.
  func connect(keep: Bool, expecting: [ServiceSelector]) async throws -> LinkOrigin

  /// Disconnects, even if another program made the connection; does nothing without a connection.
  /// Waits until it is down: bluetoothd may keep it for 2 s.
  ///
  /// ```swift
  /// let level = thermometer.connect().flattenMap { thermometer.read(.batteryLevel) }
  ///   .flattenMap { level in thermometer.disconnect().map { level } }
  /// ```
  ///
  /// - Throws: `timed-out` when the connection stays; the end of the turn tries once more.
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Disconnect), `src/device.c` (DISCONNECT_TIMER).
  func disconnect() async throws

  /// Takes back one connect of the current turn, before the turn's end: disconnects with the last one,
  /// unless another turn of this program uses the connection, too, or it existed before.
  ///
  /// - Throws: As ``disconnect()``.
  func endUse() async throws

  /// Ends the use of the connection by the current turn, however often it connected: disconnects,
  /// unless another turn or another run on this host uses it, too.
  ///
  /// - Returns: Whether the connection stays up for others.
  /// - Throws: As ``disconnect()``, which it is where no others are known.
  func endAllUses() async throws -> Bool

  /// Waits until the run on this host has ended that kept the last connect from the device (`busy`),
  /// and reserves the device.
  ///
  /// - Returns: Whether it waited; false when no run did, or others are not to be waited for.
  /// - Throws: `busy` at the end of its own limit.
  func awaitOtherRuns() async throws -> Bool

  /// Removes the device and its bond, and disconnects it. Does nothing for an unknown device. The next
  /// connect discovers it again.
  ///
  /// ```swift
  /// let fresh = thermometer.unpair().then { thermometer.pair(PairingAnswers(secret: Secret("123456"))) }
  /// ```
  ///
  /// - Throws: `inside-subscription` (permanent).
  /// - Source: BlueZ, `doc/org.bluez.Adapter.rst` (RemoveDevice).
  func unpair() async throws
}

extension DeviceOperations {
  /// Disconnects: there are no others.
  public func endAllUses() async throws -> Bool {
    try await disconnect()
    return false
  }

  /// There are no others.
  public func awaitOtherRuns() async throws -> Bool { false }
}

extension ConnectionOperations {
  /// Reads a characteristic from its first byte: ``read(_:offset:)``.
  public func read(_ characteristic: CharacteristicSelector) async throws -> [UInt8] {
    try await read(characteristic, offset: 0)
  }

  /// Reads a characteristic whose value has a type.
  ///
  /// ```swift
  /// let percent = try await connection.read(.batteryLevel)
  /// ```
  ///
  /// - Throws: As ``read(_:offset:)``; ``MalformedValue`` for a value that is not in the format of the
  ///   characteristic.
  public func read<Value>(_ characteristic: Characteristic<Value>) async throws -> Value {
    try characteristic.decode(try await read(characteristic.selector, offset: 0))
  }

  /// Writes a characteristic from its first byte: ``write(_:to:kind:offset:)``.
  public func write(
    _ value: [UInt8], to characteristic: CharacteristicSelector, kind: WriteKind = .request
  ) async throws {
    try await write(value, to: characteristic, kind: kind, offset: 0)
  }

  /// Writes a value that has a type.
  ///
  /// ```swift
  /// try await connection.write("mild alert", to: .alertLevel)
  /// ```
  ///
  /// - Throws: As ``write(_:to:kind:offset:)``; ``MalformedValue``, before anything is sent, for a value
  ///   that the format cannot carry.
  public func write<Value>(
    _ value: Value, to characteristic: Characteristic<Value>, kind: WriteKind = .request
  ) async throws {
    let bytes = try characteristic.encode(value)
    try await write(bytes, to: characteristic.selector, kind: kind, offset: 0)
  }
}

/// The origin of the connection in ``DeviceOperations/connect(keep:expecting:)``.
public enum LinkOrigin: String, Hashable, Sendable {
  /// The call made it.
  case made
  /// Another turn of this program made it, or another run on this host: the last one that uses it
  /// ends it.
  case shared
  /// It existed, or another program was making it: the caller does not end it.
  case found
}

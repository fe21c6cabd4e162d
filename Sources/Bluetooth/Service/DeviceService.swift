// The port to one device: its operations, independent of who performs them.

public import Signals

/// Operations on one device. All are lazy: nothing happens before a signal is run.
///
/// **Failures.** Every failure is a ``DeviceFailure`` with a stable code, BlueZ's error where there
/// is one, and a hint. Its class states whether another attempt may succeed: `.passing` is
/// transient, `.definite` is permanent, and `.unavailable` needs a change on this host. Besides
/// the codes listed for an operation, each can fail with
/// - `daemon-missing`, `adapter-missing`, `adapter-off`, `bus-lost` (unavailable): at once,
///   whatever is in progress;
/// - `timed-out` (transient): at the deadline;
/// - `unknown` (permanent): an undocumented error of bluetoothd.
///
/// **Deadlines** are the caller's: `timeout`, or the `within` of a blocking call. Without one,
/// limits apply that are longer than bluetoothd's own.
///
/// **After a failure or a cancellation** nothing is left behind: the reply to a pending call is
/// dropped and its effect undone (a late Connect is disconnected, a late subscription ended), and
/// the turn ends the connections that were made in it.
///
/// **Repeating.** Operations that only read (`scan`, `services`, `read`, `rssi`) and those that
/// establish a state (`connect`, `disconnect`, `pair`, `unpair`, `trust`, subscribing) may be
/// repeated after a transient failure. A write may not, unless the device tolerates it twice: when
/// the connection was lost, it is unknown whether the device has the value.
public protocol DeviceService: DeviceAttributes {
  /// The scheduler in whose turns the operations run.
  var scheduler: SerialScheduler { get }

  /// The device, as errors name it.
  var deviceDescription: String { get }

  /// The devices that matched when the last `connect` looked for the device, the one that it used
  /// first. Empty when only one can be meant: by an address, or by a name that one device had.
  var candidates: [DeviceCandidate] { get }

  /// Reports devices as they are discovered; never completes by itself. Needs no connection.
  ///
  /// Sends a device again whenever one of its properties changes; RSSI and TX power are in dBm.
  /// Devices that are already known or connected are sent at the start, without an RSSI. The filter
  /// is applied here, too: bluetoothd merges the filters of its clients and reports what any of
  /// them requested. The scan pauses while this host connects.
  ///
  /// ```swift
  /// let strong = thermometer.scan(ScanFilter(name: "Thermo*", rssi: -70)).take(3).collect()
  /// for device in try strong.firstOrThrow(within: .seconds(10)) { print(device) }
  /// ```
  ///
  /// - Returns: Fails with ``DeviceFailure``, `not-supported` for a passive scan when the daemon
  ///   has no advertisement monitors; with `BufferOverflow` when values are not consumed.
  /// - Source: BlueZ, `doc/org.bluez.Adapter.rst` (SetDiscoveryFilter, StartDiscovery),
  ///   `doc/org.bluez.AdvertisementMonitor.rst`.
  func scan(_ filter: ScanFilter) -> Signal<Advertisement>

  /// Sends a stream of the devices once the scan is active, once: a time that begins then is one of
  /// scanning. Fails as ``scan(_:)`` does, and with what was not answered.
  ///
  /// ```swift
  /// // Ten seconds of scanning, however long the scan takes to become active.
  /// let found = thermometer.startScan(ScanFilter()).flattenMap { devices in devices.takeUntil(Signal.interval(.seconds(10))).collect() }
  /// ```
  func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>>

  /// Finds the device if necessary, connects, and waits until its services are resolved.
  ///
  /// Where several devices match a name, an alias or a service, the strongest of those that are
  /// received in the first second of the scan is used; ``candidates`` are all of them.
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
  /// - Returns: Sends the origin of the connection, once it can be used. Fails with `not-found`,
  ///   `connect-failed`, `busy`, `link-lost` (transient); `service-missing`,
  ///   `connect-outside-turn`, `ambiguous` (permanent).
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Connect, ServicesResolved), `src/error.h`.
  func connect(keep: Bool, expecting: [ServiceSelector]) -> Signal<LinkOrigin>

  /// Sends the attributes of the device, once: services with their characteristics and descriptors,
  /// in the order of their handles.
  ///
  /// ```swift
  /// let names = thermometer.session { thermometer.services() }.map { $0.map(\.uuid) }
  /// ```
  ///
  /// - Returns: Fails with `not-connected`.
  /// - Source: BlueZ, `doc/org.bluez.GattService.rst`.
  func services() -> Signal<[GATTService]>

  /// Sends the value, once: at most 512 octets; a long value is read completely.
  ///
  /// ```swift
  /// let octets = thermometer.session { thermometer.read("battery-level") }
  /// ```
  ///
  /// - Returns: Fails with `characteristic-missing` (permanent, but transient while the device
  ///   exports no services at all); `not-permitted`, `not-paired`, `not-supported`, `refused` with
  ///   the ATT error of the device (permanent); `not-connected`, `link-lost`, `busy` (transient).
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (ReadValue), `src/gatt-client.c`
  ///   (create_gatt_dbus_error).
  func read(_ characteristic: CharacteristicSelector) -> Signal<[UInt8]>

  /// Writes the value and completes; sends one empty value.
  ///
  /// ```swift
  /// let written = keyRing.session { keyRing.write([2], to: "alert-level", kind: .command) }
  /// ```
  ///
  /// - Parameters:
  ///   - value: At most 512 octets; in a command at most the MTU less three. A longer value is
  ///     rejected before it is sent, with both numbers.
  ///   - characteristic: The characteristic that is written.
  ///   - kind: The device responds to a `request`; only bluetoothd replies to a `command`: it is
  ///     unknown whether the device has it.
  /// - Returns: Fails as ``read(_:)`` does, and with `invalid-value` for a length that the device
  ///   or the protocol does not accept. Must not be repeated blindly: see ``DeviceService``.
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (WriteValue).
  func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind
  ) -> Signal<Void>

  /// Sends each notification or indication, with the time of its arrival on the loop's clock;
  /// subscribed until the signal ends. A `flattenMap` on it runs for each value while the
  /// subscription is open: `connect`, `disconnect` and `unpair` of the same device fail there with
  /// `inside-subscription` before anything is sent; put `collect()` or `then` in between. The last
  /// value of a `take` is excepted, since none follows it. (Behind a merging `flattenMap` or
  /// `delay` this cannot be detected.) While other programs are subscribed, too, bluetoothd signals
  /// each value once for each of them; an acquired notification arrives once.
  ///
  /// ```swift
  /// let three = thermometer.session {
  ///   thermometer.notifications("temperature-measurement").take(3).collect()
  /// }
  /// ```
  ///
  /// - Returns: Fails with `link-lost` when the connection drops, `busy` while another program has
  ///   acquired the notifications (transient); `not-supported` when the characteristic does not
  ///   notify (permanent); with `BufferOverflow` and the count when values are not consumed.
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (StartNotify, AcquireNotify).
  func notifications(_ characteristic: CharacteristicSelector) -> Signal<NotifiedValue>

  /// Sends a stream that is already subscribed and buffered, once: subscribe, then trigger. Fails
  /// as ``notifications(_:)`` does.
  ///
  /// ```swift
  /// let answer = thermometer.session {
  ///   thermometer.subscribe("record-access-control-point").flattenMap { values in
  ///     thermometer.write([1, 1], to: "record-access-control-point").then { values.take(1) }
  ///   }
  /// }
  /// ```
  func subscribe(_ characteristic: CharacteristicSelector) -> Signal<Signal<NotifiedValue>>

  /// Sends the RSSI and TX power of the connection in dBm, once.
  ///
  /// ```swift
  /// let strength = thermometer.session { thermometer.rssi() }
  /// ```
  ///
  /// - Returns: Fails with `not-connected` (transient), and with `capability-missing` or
  ///   `sockets-missing` (unavailable) when this process may not query the kernel.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.5.4: org.bluez has no such call.
  func rssi() -> Signal<LinkStrength>

  /// Disconnects; does nothing without a connection. Waits until it is down: bluetoothd may keep it
  /// for 2 s.
  ///
  /// ```swift
  /// let level = thermometer.connect().flattenMap { thermometer.read(.batteryLevel) }
  ///   .flattenMap { level in thermometer.disconnect().map { level } }
  /// ```
  ///
  /// - Returns: Fails with `timed-out` when the connection stays; the end of the turn tries once
  ///   more.
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Disconnect), `src/device.c` (DISCONNECT_TIMER).
  func disconnect() -> Signal<Void>

  /// Takes back one connect of the current turn, before the turn's end: disconnects with the last one,
  /// unless another turn of this program uses the connection, too, or it existed before.
  ///
  /// ```swift
  /// let level = thermometer.connect().flattenMap { thermometer.read(.batteryLevel) }
  ///   .flattenMap { level in thermometer.release().map { level } }
  /// ```
  ///
  /// - Returns: Fails with `timed-out` when the connection stays; the end of the turn tries once
  ///   more.
  func release() -> Signal<Void>

  /// Ends the use of the connection by the current turn: disconnects, unless another turn or another
  /// run on this host uses it, too.
  ///
  /// ```swift
  /// let level = thermometer.connect().flattenMap { thermometer.read(.batteryLevel) }
  ///   .flattenMap { level in thermometer.leave().map { _ in level } }
  /// ```
  ///
  /// - Returns: Sends whether the connection stays up for others. Fails as ``disconnect()`` does, which
  ///   it is for a service that knows no others.
  func leave() -> Signal<Bool>

  /// Waits until the run on this host has ended that kept the last connect from the device
  /// (`busy`), and reserves the device.
  ///
  /// ```swift
  /// let isFree = thermometer.awaitOtherRuns().firstOrDefault(false, within: .seconds(60))
  /// ```
  ///
  /// - Returns: Sends whether it waited; false when no run did, or others are not to be waited for.
  ///   Fails with `busy` at the end of its own limit.
  func awaitOtherRuns() -> Signal<Bool>

  /// Pairs with the device, connecting for the current turn if necessary. The bond outlives the
  /// turn.
  ///
  /// ```swift
  /// let paired = thermometer.pair(PairingAnswers(secret: Secret("123456")))
  ///   .firstResult(within: .seconds(60))
  /// ```
  ///
  /// - Returns: Sends whether it was paired now or before. Fails with `pairing-failed`, which may
  ///   be transient when nobody rejected it; `busy`, and the failures of connecting. A pairing that
  ///   is interrupted is cancelled and leaves no bond.
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Pair, CancelPairing), `doc/org.bluez.Agent.rst`.
  func pair(_ answers: PairingAnswers) -> Signal<PairingOutcome>

  /// Answers pairing requests while `body` runs: for devices that start to pair by themselves when
  /// a protected value is read. Fails as `body` does.
  ///
  /// ```swift
  /// let protected = thermometer.session {
  ///   thermometer.answering(PairingAnswers(secret: Secret("123456"))) { thermometer.read("device-name") }
  /// }
  /// ```
  ///
  /// - Source: BlueZ, `doc/org.bluez.AgentManager.rst` (RegisterAgent, RequestDefaultAgent).
  func answering<Value: Sendable>(
    _ answers: PairingAnswers,
    _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value>

  /// Removes the device and its bond, and disconnects it. Does nothing for an unknown device.
  ///
  /// The next `connect` discovers the device again.
  ///
  /// ```swift
  /// let fresh = thermometer.unpair().then { thermometer.pair(PairingAnswers(secret: Secret("123456"))) }
  /// ```
  ///
  /// - Source: BlueZ, `doc/org.bluez.Adapter.rst` (RemoveDevice).
  func unpair() -> Signal<Void>

  /// Sets whether the host trusts the device: it may then use services of this host without
  /// authorization.
  ///
  /// ```swift
  /// let trusted = thermometer.session { thermometer.trust(true) }
  /// ```
  ///
  /// - Returns: Fails with `not-found` for a device that bluetoothd does not know (transient).
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Trusted).
  func trust(_ isTrusted: Bool) -> Signal<Void>
}

extension DeviceService {
  /// None.
  public var candidates: [DeviceCandidate] { [] }

  /// Disconnects: there are no others.
  public func leave() -> Signal<Bool> { disconnect().map { false } }

  /// There are no others.
  public func awaitOtherRuns() -> Signal<Bool> { .just(false) }

  /// A scan that counts as active at once.
  public func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>> {
    .just(scan(filter))
  }

  /// Connects for the current turn.
  ///
  /// ```swift
  /// let level = thermometer.connect().flattenMap { thermometer.read(.batteryLevel) }
  ///   .firstOrDefault(0, within: .seconds(30))
  /// ```
  public func connect() -> Signal<Void> { connect(keep: false, expecting: []).map { _ in } }

  /// Writes the value with response (Write Request): the short form of
  /// ``write(_:to:kind:)``.
  ///
  /// ```swift
  /// keyRing.session { keyRing.write([2], to: "alert-level") }
  /// ```
  public func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector
  ) -> Signal<Void> {
    write(value, to: characteristic, kind: .request)
  }

  /// Connects, runs `body`, and disconnects whatever happened. A connection that existed before is
  /// left up, and so is one that another turn uses, too.
  ///
  /// ```swift
  /// let level = thermometer.session { thermometer.read(.batteryLevel) }
  ///   .firstOrDefault(0, within: .seconds(30))
  /// ```
  public func session<R: Sendable>(
    _ body: @escaping @Sendable () -> Signal<R>
  ) -> Signal<R> {
    Signal.using(
      acquire: connect(keep: false, expecting: []),
      release: { _ in release() },
      { _ in body() }
    )
  }
}

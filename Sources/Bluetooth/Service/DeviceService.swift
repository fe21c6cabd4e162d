// The port to one device: what can be done with it, whoever does it.

public import Signals

/// Operations on one device. All are lazy: nothing happens before a signal is run.
///
/// **Failures.** Every failure is a ``DeviceFailure`` with a stable code, BlueZ's own words where it
/// said any, and a hint. Its class says what another try is worth: `passing` may pass by itself,
/// `definite` would end the same, `unavailable` needs this host to be mended. Beside the codes that
/// an operation names, each can fail with
/// - `daemon-missing`, `adapter-missing`, `adapter-off`, `bus-lost` (unavailable): at once, whatever
///   was under way;
/// - `timed-out` (passing): at the deadline;
/// - `unknown` (definite): an answer of bluetoothd that is in none of its pages.
///
/// **Deadlines** are the caller's: `timeout`, or the `within` of a blocking call. Where there is
/// none, limits that are longer than bluetoothd's own hold.
///
/// **After a failure or a cancellation** nothing is left behind: a call that was sent is answered to
/// nobody and its effect undone (a late Connect is disconnected, a late subscription ended), and the
/// turn ends the links that were made in it.
///
/// **Again.** Operations that only ask (`scan`, `services`, `read`, `rssi`) and those that bring
/// about a state (`connect`, `disconnect`, `pair`, `unpair`, `trust`, subscribing) may be repeated
/// after a passing failure. A write may not, unless the device does not mind it twice: when the link
/// was lost, nobody knows whether the device has it.
public protocol DeviceService: DeviceAttributes {
  /// The scheduler in whose turns the operations run.
  var scheduler: SerialScheduler { get }

  /// The device, as errors name it.
  var deviceDescription: String { get }

  /// Reports devices as they are heard; never completes by itself. Takes no link.
  ///
  /// Sends a device anew whenever something of it changes; RSSI and TX power are in dBm. Devices that
  /// are known or connected already are sent at the start, without an RSSI. The filter is applied
  /// here, too: bluetoothd merges the filters of its clients and tells of all that any of them asked
  /// for. Makes place while this host connects.
  ///
  /// - Returns: Fails with ``DeviceFailure``, `not-supported` for a passive scan where the daemon has
  ///   no advertisement monitors; with `BufferOverflow` when values are not taken.
  /// - Source: BlueZ, `doc/org.bluez.Adapter.rst` (SetDiscoveryFilter, StartDiscovery),
  ///   `doc/org.bluez.AdvertisementMonitor.rst`.
  func scan(_ filter: ScanFilter) -> Signal<Advertisement>

  /// Finds the device if need be, connects, and waits until its services are there.
  ///
  /// The link belongs to the turn that it is made in and is ended with it. A link that was up
  /// before is used and left up. Attempts that fail for the moment are repeated within the deadline,
  /// five at most, each after the link of the one before is seen to be down; the failure counts them.
  ///
  /// - Parameters:
  ///   - keep: Leaves the link up at the end of the turn.
  ///   - expecting: Services without which the connection is a definite failure.
  /// - Returns: Sends where the link came from, once it can be used. Fails with `not-found`,
  ///   `connect-failed`, `busy`, `link-lost` (passing); `service-missing`, `connect-outside-turn`,
  ///   `ambiguous` (definite).
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Connect, ServicesResolved), `src/error.h`.
  func connect(keep: Bool, expecting: [BluetoothUUID]) -> Signal<LinkOrigin>

  /// Sends what the device offers, once: services with their characteristics and descriptors, in the
  /// order of their handles.
  ///
  /// - Returns: Fails with `not-connected`.
  /// - Source: BlueZ, `doc/org.bluez.GattService.rst`.
  func services() -> Signal<[GATTService]>

  /// Sends the value, once: at most 512 octets, long values whole.
  ///
  /// - Returns: Fails with `characteristic-missing` (definite, but passing while the device shows no
  ///   services at all); `not-permitted`, `not-paired`, `not-supported`, `refused` with the ATT error
  ///   of the device (definite); `not-connected`, `link-lost`, `busy` (passing).
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (ReadValue), `src/gatt-client.c`
  ///   (create_gatt_dbus_error).
  func read(_ characteristic: CharacteristicSelector) -> Signal<[UInt8]>

  /// Writes the value and completes; sends one empty value.
  ///
  /// - Parameters:
  ///   - value: At most 512 octets; in a command at most the MTU less three. More is refused before
  ///     it is sent, with both numbers.
  ///   - kind: `request` is answered by the device; a `command` only by bluetoothd: whether the
  ///     device has it is not known.
  /// - Returns: Fails as ``read(_:)`` does, and with `invalid-value` for a length that the device, or
  ///   the protocol, does not take. Not to be repeated blindly: see ``DeviceService``.
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (WriteValue).
  func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind
  ) -> Signal<Void>

  /// Sends each notification or indication, with the time of its arrival on the loop's clock;
  /// subscribed until the signal ends. What is chained to it with `flattenMap` runs for each value,
  /// while the subscription is open: `connect`, `disconnect` and `unpair` of the same device fail
  /// there with `inside-subscription` before anything is sent; put `collect()` or `then` in between.
  /// The last value of a `take` has none behind it, and is excepted. (Behind a merging `flattenMap`
  /// or `delay` that cannot be seen.) While other programs are subscribed, too, bluetoothd signals
  /// each value once for each of them; one that is acquired comes once.
  ///
  /// - Returns: Fails with `link-lost` when the link falls, `busy` while another program has acquired
  ///   the notifications (passing); `not-supported` where the characteristic has none (definite); with
  ///   `BufferOverflow` and the count when values are not taken.
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (StartNotify, AcquireNotify).
  func notifications(_ characteristic: CharacteristicSelector) -> Signal<NotifiedValue>

  /// Sends a stream that is subscribed already and buffered, once: subscribe, then trigger. Fails as
  /// ``notifications(_:)`` does.
  func subscribe(_ characteristic: CharacteristicSelector) -> Signal<Signal<NotifiedValue>>

  /// Measures the link and sends its strength in dBm, once.
  ///
  /// - Returns: Fails with `not-connected` (passing), and with `capability-missing` or
  ///   `sockets-missing` (unavailable) when this process may not ask the kernel.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.5.4: org.bluez has no such call.
  func rssi() -> Signal<LinkStrength>

  /// Ends the link; does nothing when there is none. Waits until it is seen to be down: bluetoothd
  /// may keep it for 2 s.
  ///
  /// - Returns: Fails with `timed-out` when the link stays; the end of the turn tries once more.
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Disconnect), `src/device.c` (DISCONNECT_TIMER).
  func disconnect() -> Signal<Void>

  /// Pairs with the device, connecting for the present turn if need be. The bond outlives the turn.
  ///
  /// - Returns: Sends whether it was paired now or before. Fails with `pairing-failed`, which may
  ///   pass when nobody refused; `busy`, and what connecting fails with. A pairing that was cut short
  ///   is cancelled and leaves no bond.
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Pair, CancelPairing), `doc/org.bluez.Agent.rst`.
  func pair(_ answers: PairingAnswers) -> Signal<PairingOutcome>

  /// Answers what pairing asks as long as `body` runs: for devices that begin to pair by themselves
  /// when a protected value is read. Fails as `body` does.
  ///
  /// - Source: BlueZ, `doc/org.bluez.AgentManager.rst` (RegisterAgent, RequestDefaultAgent).
  func answering<Value: Sendable>(
    _ answers: PairingAnswers,
    _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value>

  /// Forgets the device, its bond, and ends its link. A device that is not known is none to forget.
  ///
  /// The next `connect` finds it anew.
  ///
  /// - Source: BlueZ, `doc/org.bluez.Adapter.rst` (RemoveDevice).
  func unpair() -> Signal<Void>

  /// Says whether the host trusts the device: it may then use services of this host without asking.
  ///
  /// - Returns: Fails with `not-found` for a device that bluetoothd does not know (passing).
  /// - Source: BlueZ, `doc/org.bluez.Device.rst` (Trusted).
  func trust(_ isTrusted: Bool) -> Signal<Void>
}

extension DeviceService {
  /// Connects for the present turn.
  public func connect() -> Signal<Void> { connect(keep: false, expecting: []).map { _ in } }

  /// Reads a characteristic whose value has a type.
  public func read<Value>(_ characteristic: StandardCharacteristic<Value>) -> Signal<Value> {
    read(CharacteristicSelector(characteristic: characteristic.uuid))
      .tryMap { try characteristic.decode($0) }
  }

  /// Connects, does `body`, and disconnects whatever happened. A link that was up before is left up.
  public func session<R: Sendable>(
    _ body: @escaping @Sendable () -> Signal<R>
  ) -> Signal<R> {
    Signal.using(
      acquire: connect(keep: false, expecting: []),
      release: { $0 == .made ? disconnect() : .just(()) },
      { _ in body() }
    )
  }
}

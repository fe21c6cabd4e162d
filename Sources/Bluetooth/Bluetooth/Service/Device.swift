// The port to one device: its operations as signals, and its streams.
//
// DeviceOperations describes each operation, and performs it.

public import Signals

/// One device. Begin with ``session(_:)``, or in `async` code with
/// ``withConnection(within:expecting:file:line:isolation:_:)``: each
/// connects, does what its block says, and disconnects, whatever happened.
///
/// ```swift
/// let level = thermometer.session { thermometer.read(.batteryLevel) }
///   .firstOrDefault(0, within: .seconds(30))
/// ```
///
/// **Signals.** Each operation of ``DeviceOperations`` is a signal of the same name here, which sends
/// the result once. All are lazy: nothing happens before a signal is run.
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
public protocol Device: Sendable {
  /// The scheduler in whose turns the operations run.
  var scheduler: SerialScheduler { get }

  /// The device, as errors name it.
  var deviceDescription: String { get }

  /// The name, as far as it is known: advertised, or read from it once it was connected.
  var name: String? { get }

  /// The devices that matched when the last `connect` looked for the device, the one that it used
  /// first. Empty when only one can be meant: by an address, or by a name that one device had.
  var candidates: [DeviceCandidate] { get }

  /// Whether this host has a bond with the device; true where that is unknown.
  var hasBond: Bool { get }

  /// The address of the device in use; nil before it was found, and where it is unknown.
  var address: BluetoothAddress? { get }

  /// Restricts each further `connect` to the device with this address, of those that are meant; nil
  /// ends the restriction. It is for a device that starts again while similar ones are near.
  func restrict(to address: BluetoothAddress?)

  /// The operations behind the signals and connections of this device. They may be called only in a
  /// turn of ``scheduler``.
  var operations: any DeviceOperations { get }

  /// Sends a stream of the devices once the scan is active, once: a time that begins then is one of
  /// scanning. Needs no connection. Fails as ``scan(_:)`` does, and with what was not answered.
  ///
  /// ```swift
  /// // Ten seconds of scanning, however long the scan takes to become active.
  /// let found = thermometer.startScan(ScanFilter()).flattenMap { devices in devices.takeUntil(Signal.interval(.seconds(10))).collect() }
  /// ```
  func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>>

  /// Sends a stream of notifications or indications that is already subscribed and buffered, once:
  /// subscribe, then trigger. Subscribed until the signal ends.
  ///
  /// Subscribers of one characteristic in this program share one subscription; the first of them
  /// decides how it is delivered. The echoes of our own reads are left out. While other programs are
  /// subscribed, too, bluetoothd signals each value once for each of them; an acquired notification
  /// arrives once. A stream that resumes connects and subscribes again while a caller waits for its
  /// next value, within the deadline and in the turn of that caller.
  ///
  /// A `flattenMap` on the stream runs for each value while the subscription is open: `connect`,
  /// `disconnect` and `unpair` of the same device fail there with `inside-subscription` before anything
  /// is sent; put `collect()` or `then` in between. The last value of a `take` is excepted, since none
  /// follows it. (Inside a merging `flattenMap`, and behind `delay`, this cannot be detected.)
  ///
  /// ```swift
  /// let options = SubscriptionOptions(onLinkLoss: .resume, overflow: .dropOldest)
  /// let levels = thermometer.session {
  ///   thermometer.subscribe("battery-level", options).flattenMap { $0.take(100).collect() }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - characteristic: The characteristic.
  ///   - options: The delivery, the size of the buffer and what happens when it is full, and
  ///     whether a lost connection ends the stream or leaves a gap in it.
  /// - Returns: Fails with `link-lost` when the connection drops, `busy` while another program has
  ///   acquired the notifications (transient); `not-supported` when the characteristic does not
  ///   notify (permanent); with `BufferOverflow` and the count when values are not consumed.
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (StartNotify, AcquireNotify).
  func subscribe(
    _ characteristic: CharacteristicSelector, _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>>

  /// Sends a writer with exclusive access to the characteristic, once; the writer is released when
  /// the signal ends. For many commands in a row, such as a firmware image: bluetoothd handles no call
  /// for each of them, and refuses `write` to the same characteristic meanwhile.
  ///
  /// ```swift
  /// let image = [UInt8](repeating: 0xff, count: 4096)
  /// let sent = keyRing.session {
  ///   keyRing.acquireWriter("6e400002-b5a3-f393-e0a9-e50e24dcca9e").flattenMap { writer in
  ///     Signal<Int> { sink in
  ///       for start in stride(from: 0, to: image.count, by: writer.longestValue) {
  ///         try await writer.write(Array(image[start...].prefix(writer.longestValue)))
  ///       }
  ///       try await sink(image.count)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Returns: Fails with `not-supported` when the characteristic does not support write without
  ///   response, and with `busy` while another program has acquired the characteristic.
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (AcquireWrite).
  func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter>

  /// Answers pairing requests about this device while `body` runs: for devices that start to pair by
  /// themselves when a protected value is read. `body` runs once the agent is registered. Fails as
  /// `body` does.
  ///
  /// ```swift
  /// let protected = thermometer.session {
  ///   thermometer.answering(PairingAnswers(secret: Secret("123456"))) { thermometer.read("device-name") }
  /// }
  /// ```
  ///
  /// - Source: BlueZ, `doc/org.bluez.AgentManager.rst` (RegisterAgent, RequestDefaultAgent).
  func answering<Value: Sendable>(
    _ answers: PairingAnswers, _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value>
}

extension Device {
  /// None.
  public var candidates: [DeviceCandidate] { [] }
  /// None.
  public var name: String? { nil }
  /// Unknown.
  public var hasBond: Bool { true }
  /// Unknown.
  public var address: BluetoothAddress? { nil }
  /// Nothing: it is always one device.
  public func restrict(to address: BluetoothAddress?) {}

  /// Connects, runs `body`, and disconnects whatever happened. A connection that existed before is
  /// left up, and so is one that another turn uses, too.
  ///
  /// ```swift
  /// let level = thermometer.session { thermometer.read(.batteryLevel) }
  ///   .firstOrDefault(0, within: .seconds(30))
  /// ```
  public func session<R: Sendable>(_ body: @escaping @Sendable () -> Signal<R>) -> Signal<R> {
    session(connecting: connect(keep: false, expecting: [])) { _ in body() }
  }

  /// Runs `body` with a connect of the caller's: one with a limit of its own, or that leaves the
  /// connection up. `body` gets the origin of the connection.
  package func session<R: Sendable>(
    connecting: Signal<LinkOrigin>, _ body: @escaping @Sendable (LinkOrigin) -> Signal<R>
  ) -> Signal<R> {
    Signal.using(acquire: connecting, release: { _ in endUse() }, body)
  }

  /// The signal of an operation: it sends its result, once, and belongs to the turn of the run that
  /// reaches it.
  ///
  /// - Parameter name: What the errors of turns call it: "reading".
  package func operation<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable (any DeviceOperations) async throws -> Value
  ) -> Signal<Value> {
    Signal.operation(of: scheduler, name) { sink in
      try await sink(try await body(operations))
    }
  }
}

// MARK: The signal of each operation

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

  package func endUse() -> Signal<Void> { operation("disconnecting") { try await $0.endUse() } }

  package func endAllUses() -> Signal<Bool> {
    operation("disconnecting") { try await $0.endAllUses() }
  }

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

  /// Changes the connection parameters, and sends what was agreed on:
  /// ``ConnectionOperations/changeConnectionParameters(to:)``.
  public func changeConnectionParameters(
    to wanted: ConnectionParameters
  ) -> Signal<ConnectionParameters> {
    operation("changing the connection parameters") {
      try await $0.changeConnectionParameters(to: wanted)
    }
  }

  /// Sends the PHY of the connection: ``ConnectionOperations/phy()``.
  public func phy() -> Signal<LinkPHY> { operation("asking for the PHY") { try await $0.phy() } }

  /// Changes the PHY, and sends what was agreed on: ``ConnectionOperations/changePHY(to:)``.
  public func changePHY(to wanted: PHY) -> Signal<LinkPHY> {
    operation("changing the PHY") { try await $0.changePHY(to: wanted) }
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

// MARK: Streams

extension Device {
  /// Sends devices as they are discovered; never completes by itself. Needs no connection.
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
  public func scan(_ filter: ScanFilter) -> Signal<Advertisement> {
    startScan(filter).flattenMap { $0 }
  }

  /// Sends each notification or indication, with the time of its arrival on the loop's clock;
  /// subscribed until the signal ends. Fails as ``subscribe(_:_:)`` does.
  ///
  /// ```swift
  /// let three = thermometer.session {
  ///   thermometer.notifications("temperature-measurement").take(3).collect()
  /// }
  /// ```
  public func notifications(_ characteristic: CharacteristicSelector) -> Signal<NotifiedValue> {
    subscribe(characteristic).flattenMap { $0 }
  }

  /// Sends each notified value that has a type, without its time of arrival.
  ///
  /// ```swift
  /// let celsius = thermometer.session {
  ///   thermometer.notifications(.temperatureMeasurement).map(\.celsius).take(3).collect()
  /// }
  /// ```
  ///
  /// - Returns: Fails as ``subscribe(_:_:)`` does, and with ``MalformedValue``.
  public func notifications<Value>(_ characteristic: Characteristic<Value>) -> Signal<Value> {
    subscribe(characteristic).flattenMap { $0 }
  }

  /// Sends a stream of values that is already subscribed and buffered, once: ``subscribe(_:_:)`` with
  /// the usual options.
  ///
  /// ```swift
  /// let answer = thermometer.session {
  ///   thermometer.subscribe("record-access-control-point").flattenMap { values in
  ///     thermometer.write([1, 1], to: "record-access-control-point").then { values.take(1) }
  ///   }
  /// }
  /// ```
  public func subscribe(_ characteristic: CharacteristicSelector) -> Signal<Signal<NotifiedValue>> {
    subscribe(characteristic, SubscriptionOptions()).map(\.notifications)
  }

  /// Sends a stream of values that have a type, already subscribed and buffered, once.
  ///
  /// ```swift
  /// let first = thermometer.session {
  ///   thermometer.subscribe(.temperatureMeasurement).flattenMap { $0.take(1) }
  /// }
  /// ```
  public func subscribe<Value>(_ characteristic: Characteristic<Value>) -> Signal<Signal<Value>> {
    subscribe(characteristic.selector).map { stream in
      stream.tryMap { try characteristic.decode($0.value) }
    }
  }
}

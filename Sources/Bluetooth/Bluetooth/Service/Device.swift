// The port to one device: its operations as signals, and its streams.
//
// What an operation does is described at DeviceOperations; who performs it is not visible here.

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

  /// Its name, as far as it is known: advertised, or read from it once it was connected.
  var name: String? { get }

  /// The devices that matched when the last `connect` looked for the device, the one that it used
  /// first. Empty when only one can be meant: by an address, or by a name that one device had.
  var candidates: [DeviceCandidate] { get }

  /// Who performs the operations, for the signals and connections of this device: outside a turn of
  /// ``scheduler`` they may not be called.
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

  /// The same with a connect of the caller's: one with a limit of its own, or that leaves the
  /// connection up. `body` gets the origin of the connection.
  package func session<R: Sendable>(
    connecting: Signal<LinkOrigin>, _ body: @escaping @Sendable (LinkOrigin) -> Signal<R>
  ) -> Signal<R> {
    Signal.using(acquire: connecting, release: { _ in release() }, body)
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

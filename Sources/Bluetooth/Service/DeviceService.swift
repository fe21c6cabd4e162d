// The port to one device: what can be done with it, whoever does it.

public import Signals

/// Operations on one device. All are lazy: nothing happens before a signal is run.
///
/// Every failure is a ``DeviceFailure``; what may be tried again says its class. Deadlines are the
/// caller's: `timeout`, or the `within` of a blocking call.
public protocol DeviceService: DeviceAttributes {
  /// The scheduler in whose turns the operations run.
  var scheduler: SerialScheduler { get }

  /// The device, as errors name it.
  var deviceDescription: String { get }

  /// Reports devices as they are heard; never completes by itself. Takes no link.
  func scan(_ filter: ScanFilter) -> Signal<Advertisement>

  /// Finds the device if need be, connects, and waits until its services are there.
  ///
  /// The link belongs to the turn that it is made in and is ended with it. A link that was up
  /// before is used and left up.
  ///
  /// - Parameters:
  ///   - keep: Leaves the link up at the end of the turn.
  ///   - expecting: Services without which the connection is a definite failure.
  /// - Returns: Sends where the link came from, once it can be used.
  func connect(keep: Bool, expecting: [BluetoothUUID]) -> Signal<LinkOrigin>

  /// Sends what the device offers, once.
  func services() -> Signal<[GATTService]>

  /// Sends the value, once.
  func read(_ characteristic: CharacteristicSelector) -> Signal<[UInt8]>

  /// Writes the value and completes; sends one empty value.
  func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind
  ) -> Signal<Void>

  /// Sends each notification or indication; subscribed until the signal ends.
  func notifications(_ characteristic: CharacteristicSelector) -> Signal<Notification>

  /// Sends a stream that is subscribed already and buffered, once: subscribe, then trigger.
  func subscribe(_ characteristic: CharacteristicSelector) -> Signal<Signal<Notification>>

  /// Measures the link and sends its strength, once.
  func rssi() -> Signal<LinkStrength>

  /// Ends the link; does nothing when there is none.
  func disconnect() -> Signal<Void>

  /// Pairs with the device, connecting for the present turn if need be. The bond outlives the turn.
  ///
  /// - Returns: Sends whether it was paired now or before. Fails with `pairing-failed`, which may
  ///   pass when nobody refused; `busy`, `timed-out`, and what connecting fails with.
  func pair(_ answers: PairingAnswers) -> Signal<PairingOutcome>

  /// Answers what pairing asks as long as `body` runs: for devices that begin to pair by themselves
  /// when a protected value is read.
  func answering<Value: Sendable>(
    _ answers: PairingAnswers,
    _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value>

  /// Forgets the device, its bond, and ends its link. A device that is not known is none to forget.
  ///
  /// The next `connect` finds it anew.
  func unpair() -> Signal<Void>

  /// Says whether the host trusts the device: it may then use services of this host without asking.
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

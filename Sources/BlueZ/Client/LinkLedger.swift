// The port to what this host's programs agree on beside bluetoothd: turns at the radio, and who
// holds which link.
//
// bluetoothd knows neither. Who puts the parts together serves it from files; a simulation has none.

public import Bluetooth
public import DBus
public import Signals

/// One link that this program holds or is making.
public struct HeldLink: Hashable, Sendable {
  /// The adapter's address; nil where bluetoothd does not tell it.
  public let adapter: BluetoothAddress?
  public let device: BluetoothAddress
  /// The object at bluetoothd.
  public let path: ObjectPath

  public init(adapter: BluetoothAddress?, device: BluetoothAddress, path: ObjectPath) {
    self.adapter = adapter
    self.device = device
    self.path = path
  }
}

/// Turns at an adapter among processes, and a record of links that survives the process.
public protocol LinkLedger: Sendable {
  /// Waits until no other process connects over an adapter, and a moment for the scans of other
  /// processes to pause.
  ///
  /// It must not block the loop, and give the turn back should this process die.
  ///
  /// - Returns: What gives the turn back; may be called from any thread, once.
  /// - Throws: What ends a wait, ``DeviceFailure`` of the code `busy` when `limit` has passed.
  func turn(
    at adapter: BluetoothAddress,
    on loop: Loop,
    limit: Duration
  ) async throws -> @Sendable () -> Void

  /// Waits until no other process connects over an adapter, and says that this one scans.
  ///
  /// - Parameter limit: How long to wait; this one scans regardless then.
  /// - Returns: What says that it does not scan any more; may be called from any thread, once.
  /// - Throws: What ends a wait.
  func listen(
    at adapter: BluetoothAddress,
    on loop: Loop,
    limit: Duration
  ) async throws -> @Sendable () -> Void

  /// Whether a process has the turn at an adapter. Asked often; it must not block.
  func isTurnTaken(at adapter: BluetoothAddress) -> Bool

  /// Who serves the objects from now on: the unique name of bluetoothd on the bus; nil for nobody.
  func served(by daemon: String?)

  /// A link is about to be made: written down before bluetoothd is asked.
  func begins(_ link: HeldLink)

  /// The link that was about to be made is up.
  func stands(_ link: HeldLink)

  /// A link that was up before is used: it is not ours, and others are not to end it meanwhile.
  func uses(_ link: HeldLink)

  /// The link is down, or is to outlive this process.
  func ended(_ link: HeldLink)

  /// Whether the attempt to connect that bluetoothd says is under way belongs to a process of ours
  /// that is dead.
  func isStale(_ device: BluetoothAddress) -> Bool
}

extension LinkLedger {
  public func served(by daemon: String?) {}
  public func stands(_ link: HeldLink) {}
  public func uses(_ link: HeldLink) {}
}

// The port to what the programs on this host coordinate besides bluetoothd: turns at the radio, and
// who holds which connection.
//
// bluetoothd knows neither. The executable implements it with files; a simulation has none.

public import Bluetooth
public import DBus
public import Signals

/// One connection that this program holds or is making.
public struct HeldLink: Hashable, Sendable {
  /// The adapter's address; nil when bluetoothd does not report it.
  public let adapter: BluetoothAddress?
  /// The address of the device.
  public let device: BluetoothAddress
  /// The path of bluetoothd's object.
  public let path: ObjectPath

  /// A connection that a run made.
  public init(adapter: BluetoothAddress?, device: BluetoothAddress, path: ObjectPath) {
    self.adapter = adapter
    self.device = device
    self.path = path
  }
}

/// The outcome of asking for a device.
public enum DeviceReservation: Sendable {
  /// This process has it until the function is called.
  case held(@Sendable () -> Void)
  /// Another run has it: "run 12, process 4711".
  case taken(by: String)
}

extension DeviceReservation {
  /// The user of a device, for messages.
  ///
  /// - Parameter run: The number of the run in the journal; nil for none.
  package static func user(run: Int64?, process: Int32?) -> String {
    (run.map { "run \($0)" } ?? "another run") + (process.map { ", process \($0)" } ?? "")
  }
}

/// Turns at an adapter across processes, and a record of connections that survives the process.
public protocol LinkLedger: Sendable {
  /// Waits until no other process connects over an adapter, and until the scans of other processes
  /// have had time to pause.
  ///
  /// It must not block the loop, and must release the turn if this process dies.
  ///
  /// - Returns: Releases the turn; may be called from any thread, once.
  /// - Throws: The errors of a wait; `DeviceFailure` with the code `busy` when `limit` has
  ///   passed.
  func turn(
    at adapter: BluetoothAddress, on loop: Loop, limit: Duration
  ) async throws -> @Sendable () -> Void

  /// Waits until no other process connects over an adapter, and records that this one scans.
  ///
  /// - Parameters:
  ///   - adapter: The adapter, by its address.
  ///   - loop: The loop of the wait.
  ///   - limit: How long to wait; then this one scans regardless.
  /// - Returns: Records that it no longer scans; may be called from any thread, once.
  /// - Throws: The errors of a wait.
  func listen(
    at adapter: BluetoothAddress, on loop: Loop, limit: Duration
  ) async throws -> @Sendable () -> Void

  /// Whether a process has the turn at an adapter. Called often; it must not block.
  func isTurnTaken(at adapter: BluetoothAddress) -> Bool

  /// The unique name of the bluetoothd that owns the objects from now on; nil for none.
  func served(by daemon: String?)

  /// A connection is about to be made: recorded before bluetoothd is called.
  func begins(_ link: HeldLink)

  /// The connection is up.
  func established(_ link: HeldLink)

  /// A connection that existed before is used: others must not end it meanwhile. A shared one was
  /// made by another process with this ledger, and the last one that uses it ends it.
  func uses(_ link: HeldLink, isShared: Bool)

  /// Whether another process uses a connection that a process with this ledger has made.
  func isShared(_ link: HeldLink) -> Bool

  /// Waits until no other process is about to use or to end a connection.
  ///
  /// - Returns: Ends the wait of others; called once. Nil where there are no other processes.
  func use(
    of link: HeldLink, on loop: Loop, limit: Duration
  ) async throws -> (@Sendable () -> Void)?

  /// Reserves a device for a run of this process, without waiting. Calls of one process must not
  /// overlap.
  ///
  /// - Parameter run: The number of the run in the journal, where the process has several runs.
  func reserve(_ link: HeldLink, run: Int64?) -> DeviceReservation

  /// The connection is down, or is to outlive this process.
  func ended(_ link: HeldLink)

  /// Whether the connection attempt that bluetoothd has in progress was made by a process with this ledger
  /// that has died.
  func isStale(_ device: BluetoothAddress) -> Bool
}

extension LinkLedger {
  public func served(by daemon: String?) {}
  public func established(_ link: HeldLink) {}
  public func uses(_ link: HeldLink, isShared: Bool) {}
  public func isShared(_ link: HeldLink) -> Bool { false }
  public func use(
    of link: HeldLink, on loop: Loop, limit: Duration
  ) async throws -> (@Sendable () -> Void)? { nil }
  public func reserve(_ link: HeldLink, run: Int64?) -> DeviceReservation { .held({}) }
}

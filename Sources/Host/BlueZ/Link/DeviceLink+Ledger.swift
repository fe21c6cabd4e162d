// The records of a link for other processes, and the reasons that bluetoothd reports for its end.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The reason that bluetoothd reports for the end of a connection.
struct DisconnectReason: Equatable, Sendable {
  /// `org.bluez.Reason.Timeout`
  let name: String
  /// "Connection timeout"
  let text: String

  /// Parses a Disconnected signal; nil for any other message.
  ///
  /// - Source: BlueZ 5.83, `src/device.c` (device_disconnected).
  init?(_ message: Message) {
    guard message.member == Device1.disconnected,
      let (name, text) = Device1.disconnectedArguments.decode(message.body)
    else { return nil }
    self.name = name
    self.text = text
  }

  var end: LinkEnd {
    switch name {
    case Device1.DisconnectReason.timeout: .supervisionTimeout
    case Device1.DisconnectReason.local: .thisHost
    case Device1.DisconnectReason.remote: .device
    case Device1.DisconnectReason.authentication: .authentication
    case Device1.DisconnectReason.suspend: .suspend
    // open: reasons in texts of bluetoothd
    default: .unknown
    }
  }
}

extension DeviceFailure {
  /// Whether it is about the end of a link.
  var isOfLink: Bool { code == .linkLost || code == .connectFailed }
}

extension DeviceLink {
  /// Stores the reason for the end of the connection; bluetoothd reports it just before the end.
  func ended(because reason: DisconnectReason) {
    state.withLock { $0.reason = reason }
  }

  /// The reason why the last connection ended; nil when bluetoothd does not report it (before
  /// 5.83).
  var disconnectReason: DisconnectReason? { state.withLock { $0.reason } }

  /// Whether a Connect of this program is pending.
  var isConnectPending: Bool { state.withLock { $0.pendingConnects > 0 } }

  /// Records an attempt, just before Connect is called.
  func recordAttempt() {
    state.withLock { $0.reason = nil }
    guard let record, let ledger else { return }
    state.withLock { $0.isRecorded = true }
    ledger.begins(record)
  }

  /// Records that the connection is up.
  func recordConnection() {
    guard let record, let ledger, state.withLock({ $0.isRecorded }) else { return }
    ledger.established(record)
  }

  /// Records the use of an existing connection.
  func recordUse() {
    guard let record, let ledger else { return }
    let isNew = state.withLock { state in
      guard state.machine.maker != .us, !state.isRecorded else { return false }
      state.isRecorded = true
      return true
    }
    guard isNew else { return }
    let isShared = ledger.isShared(record)
    state.withLock { $0.isShared = isShared }
    ledger.uses(record, isShared: isShared)
  }

  /// Keeps other processes from beginning or ending their use of the connection.
  ///
  /// - Returns: A closure that lets them continue; nil without other processes.
  func lockUse() async throws -> (@Sendable () -> Void)? {
    guard let record, let ledger else { return nil }
    return try await ledger.use(of: record, on: loop, limit: limits.disconnect)
  }

  /// Leaves the connection up when other processes with the same ledger use it.
  ///
  /// - Returns: Whether other processes use it.
  func leaveToOthers() -> Bool {
    guard let record, let ledger, ledger.isShared(record) else { return false }
    apply(.leftToOthers)
    return true
  }

  /// Erases the record of a connection that this program no longer has, or leaves up.
  func eraseRecord() {
    guard let record, let ledger else { return }
    let wasWritten = state.withLock { state in
      defer { (state.isRecorded, state.isShared) = (false, false) }
      return state.isRecorded
    }
    if wasWritten { ledger.ended(record) }
  }
}

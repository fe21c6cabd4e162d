// What a link writes down for other processes, and what bluetoothd says of its end.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// Why bluetoothd says that a link ended.
struct DisconnectReason: Equatable, Sendable {
  /// `org.bluez.Reason.Timeout`
  let name: String
  /// "Connection timeout"
  let text: String

  /// Reads a Disconnected signal; nil when it is none.
  ///
  /// - Source: BlueZ 5.83, `src/device.c` (device_disconnected).
  init?(_ message: Message) {
    guard message.member == Device1.disconnected,
      let (name, text) = Device1.disconnectedArguments.decode(message.body)
    else { return nil }
    self.name = name
    self.text = text
  }

  /// As a clause: "the device ended it".
  var meaning: String {
    switch name {
    case Device1.DisconnectReason.timeout: "nothing was heard of the device any more"
    case Device1.DisconnectReason.local: "this host ended it"
    case Device1.DisconnectReason.remote: "the device ended it"
    case Device1.DisconnectReason.authentication: "authentication failed"
    case Device1.DisconnectReason.suspend: "this host went to sleep"
    default: "no reason is known"
    }
  }
}

extension DeviceFailure {
  /// Whether it is about the end of a link.
  var isOfLink: Bool { code == .linkLost || code == .connectFailed }
}

extension DeviceLink {
  /// bluetoothd has said why the link ended, just before it says that it did.
  func ended(because reason: DisconnectReason) {
    state.withLock { $0.reason = reason }
  }

  /// Why the last link ended; nil where bluetoothd does not say (before 5.83).
  var disconnectReason: DisconnectReason? { state.withLock { $0.reason } }

  /// Whether a Connect of this program has not been answered yet.
  var isConnectPending: Bool { state.withLock { $0.pendingConnects > 0 } }

  /// A Connect is about to be called.
  func writeDown() {
    guard let record, let ledger else { return }
    state.withLock { state in
      state.isWrittenDown = true
      state.reason = nil
    }
    ledger.begins(record)
  }

  /// The link is made.
  func writeUp() {
    guard let record, let ledger, state.withLock({ $0.isWrittenDown }) else { return }
    ledger.stands(record)
  }

  /// A link that was up before is used.
  func writeUse() {
    guard let record, let ledger else { return }
    let isNew = state.withLock { state in
      guard state.machine.maker != .us, !state.isWrittenDown else { return false }
      state.isWrittenDown = true
      return true
    }
    if isNew { ledger.uses(record) }
  }

  /// There is no link of this program's any more, or it is to be left up.
  func strike() {
    guard let record, let ledger else { return }
    let wasWritten = state.withLock { state in
      defer { state.isWrittenDown = false }
      return state.isWrittenDown
    }
    if wasWritten { ledger.ended(record) }
  }
}

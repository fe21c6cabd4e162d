// Devices that one run has for itself: among the runs of this process here, among processes in the ledger.

import Bluetooth
import Glibc
import Signals

/// The turn that uses a device, and its run.
struct DeviceUser: Sendable {
  let turn: Turn
  /// The number of its run in the journal.
  let run: Int64?
}

extension BlueZClient {
  /// Reserves a device, without waiting.
  ///
  /// - Returns: nil when the user's turn has it already.
  func reserve(_ link: HeldLink, for user: DeviceUser) -> DeviceReservation? {
    let present = state.withLock { state in
      if let present = state.reserved[link] { return present as DeviceUser? }
      state.reserved[link] = user
      return nil
    }
    if let present {
      if present.turn === user.turn { return nil }
      return .taken(by: DeviceReservation.user(run: present.run, process: getpid()))
    }
    switch ledger?.reserve(link, run: user.run) ?? .held({}) {
    case .held(let giveBack):
      return .held { [self] in
        giveBack()
        state.withLock { $0.reserved[link] = nil }
      }
    case .taken(let run):
      state.withLock { $0.reserved[link] = nil }
      return .taken(by: run)
    }
  }
}

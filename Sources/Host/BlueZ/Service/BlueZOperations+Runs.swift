// Reservations of devices between runs of this process or of others with the same ledger.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  /// Whether the last connect found the device reserved by another run.
  var isReservedByOthers: Bool { state.withLock { $0.blockingUse != nil } }

  /// Reserves a device for the turn, where runs are not to share it.
  ///
  /// - Throws: ``Cause`` when another run has it.
  func reserve(_ device: ObjectPath, in turn: Turn) throws {
    state.withLock { $0.blockingUse = nil }
    guard options.otherRuns != .share, let link = client.heldLink(device) else { return }
    switch client.reserve(link, for: DeviceUser(turn: turn, run: options.run)) {
    case nil: break
    case .held(let giveBack): keep(link, in: turn, giveBack)
    case .taken(let run):
      state.withLock { $0.blockingUse = link }
      throw Cause.inUse(by: run)
    }
  }

  /// The turn has the device until it ends.
  private func keep(_ link: HeldLink, in turn: Turn, _ giveBack: @escaping @Sendable () -> Void) {
    _ = turn.registerRelease(of: "the use of \(link.device)") { giveBack() }
  }

  func awaitOtherRuns() async throws -> Bool {
    try await explaining(.connect, "waiting for another run") {
      guard options.otherRuns == .await, let turn = Turn.current,
        let link = state.withLock({ $0.blockingUse })
      else { return false }
      let end = loop.now + client.limits.otherRun
      var noticed: String?
      while true {
        switch client.reserve(link, for: DeviceUser(turn: turn, run: options.run)) {
        case nil:
          state.withLock { $0.blockingUse = nil }
          return true
        case .held(let giveBack):
          keep(link, in: turn, giveBack)
          state.withLock { $0.blockingUse = nil }
          return true
        case .taken(let run):
          if run != noticed { notify(.awaiting(run: run)) }
          noticed = run
          guard loop.now < end else { throw Cause.inUse(by: run) }
        }
        try await loop.sleep(for: client.limits.otherRunWatch)
      }
    }
  }

  func endAllUses() async throws -> Bool {
    try await explaining(.disconnect, "disconnecting") {
      try requireNoOpenStream()
      guard let turn = Turn.current, let device = state.withLock({ $0.device }) else {
        return false
      }
      return try await link(to: device).endAllUses(by: turn)
    }
  }
}

extension Cause {
  fileprivate static func inUse(by run: String) -> Cause {
    transient(.busy, "\(run), uses the device", hint: "let it finish, or end it, and try again")
  }
}

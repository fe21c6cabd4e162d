// Scans that yield to other processes of ours, as far as those use the same ledger.

import Bluetooth
import DBus
import Signals

extension Discovery {
  /// Waits, for a limited time, while another process connects over this adapter, and records that
  /// this process scans.
  func announce(_ client: BlueZClient) async throws {
    guard let (ledger, address) = ledger(of: client) else { return }
    let silence = try await ledger.listen(
      at: address, on: client.loop, limit: client.limits.scanTurn
    )
    state.withLock { $0.silence = silence }
  }

  /// Records that this process no longer scans.
  func fallSilent() {
    let silence = state.withLock { state in
      defer { state.silence = nil }
      return state.silence
    }
    silence?()
  }

  /// Runs `body`, which scans, and pauses the scan while another process connects.
  func yielding<R>(_ client: BlueZClient, _ body: () async throws -> R) async throws -> R {
    guard let (ledger, address) = ledger(of: client) else { return try await body() }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in try await watch(client, ledger, address) }
      defer { group.cancelAll() }
      return try await body()
    }
  }

  private func ledger(of client: BlueZClient) -> (any LinkLedger, BluetoothAddress)? {
    guard let ledger = client.ledger,
      let address = client.look({ $0.adapter(at: adapter)?.address })
    else { return nil }
    return (ledger, address)
  }

  /// Checks periodically whether another process has the turn at the adapter, until cancelled.
  private func watch(
    _ client: BlueZClient, _ ledger: any LinkLedger, _ address: BluetoothAddress
  ) async throws {
    while true {
      try await client.loop.sleep(for: client.limits.scanWatch)
      let isTaken = ledger.isTurnTaken(at: address)
      let isDue = state.withLock { state in
        if !isTaken { state.hasYielded = false }
        guard isTaken, !state.hasYielded, state.isRunning, state.pauses == 0 else { return false }
        state.hasYielded = true
        state.pauses += 1
        return true
      }
      if isDue { try await pause(client) { ledger.isTurnTaken(at: address) } }
      // A scan that cannot resume at once resumes when it can.
      try? await follow(client)
    }
  }

  /// Pauses discovery as long as `isWanted` holds, within the limit.
  private func pause(_ client: BlueZClient, while isWanted: () -> Bool) async throws {
    defer { state.withLock { $0.pauses -= 1 } }
    let end = client.loop.now + client.limits.scanYield
    try? await follow(client)
    repeat {
      try await client.loop.sleep(for: client.limits.scanWatch)
    } while isWanted() && client.loop.now < end
  }
}

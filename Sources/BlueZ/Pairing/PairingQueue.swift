// Pairings of one client that wait for others to end.
//
// A thin shell: PairingSlots decides.

import Bluetooth
import Signals

/// Admits pairings in parallel where bluetoothd can keep them apart, else in order of arrival.
final class PairingQueue: Sendable {
  private struct State {
    var slots = PairingSlots()
    var waiting: [(id: UInt64, admitted: Completion<Void>)] = []
    var nextID: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Runs `body` when no other pairing is in its way.
  ///
  /// - Parameters:
  ///   - device: The device to pair, for those who wait for it.
  ///   - limit: How long to wait, in addition to the enclosing deadlines.
  /// - Throws: What `body` throws; ``Problem`` when the time passed before it started, a
  ///   cancellation.
  func pass<R>(
    _ capability: AgentCapability,
    device: String,
    on loop: Loop,
    limit: Duration,
    _ body: () async throws -> R
  ) async throws -> R {
    let (wish, isFree) = state.withLock { state in
      state.nextID += 1
      let wish = PairingSlots.Wish(id: state.nextID, capability: capability, device: device)
      return (wish, state.slots.enter(wish))
    }
    defer { leave(wish.id) }
    if !isFree { try await admission(of: wish, on: loop, limit: limit) }
    return try await body()
  }

  private func admission(
    of wish: PairingSlots.Wish,
    on loop: Loop,
    limit: Duration
  ) async throws {
    do {
      try await wait(on: loop, operation: "the end of another pairing", limit: limit) {
        (admitted: Completion<Void>) in
        let isFree = state.withLock { state in
          if state.slots.active.contains(wish) { return true }
          state.waiting.append((wish.id, admitted))
          return false
        }
        if isFree { admitted.succeed(()) }
      }
    } catch is TimedOut {
      let others = state.withLock { $0.slots.active.map(\.device) }
      throw Problem(.pairingQueued(behind: others))
    }
  }

  private func leave(_ id: UInt64) {
    let admitted = state.withLock { state in
      state.waiting.removeAll { $0.id == id }
      let begun = state.slots.leave(id)
      defer { state.waiting.removeAll { begun.contains($0.id) } }
      return state.waiting.filter { begun.contains($0.id) }.map(\.admitted)
    }
    for each in admitted { each.succeed(()) }
  }
}

extension Explanation {
  /// The time passed while others paired.
  static func pairingQueued(behind devices: [String]) -> Explanation {
    let others = devices.isEmpty ? "another device" : devices.joined(separator: " and ")
    return transient(
      .busy,
      "this program was pairing with \(others) the whole time, and this pairing has not started",
      hint: "pair with one device after the other, or \(.moreTime); pairings "
        + "without authentication (no-input-no-output) run in parallel"
    )
  }
}

// A lock for async code, in order of arrival, with a shared mode.

import Signals

/// Admits one task at a time to a section of async code, or several that can share it.
///
/// A task that shares may overtake waiting ones that it does not exclude; no other task overtakes.
final class Gate: Sendable {
  private struct State: Sendable {
    /// The tasks inside, then the waiting ones.
    var entries: [(id: UInt64, isShared: Bool)] = []
    var lastID: UInt64 = 0

    mutating func enter(_ isShared: Bool) -> UInt64 {
      lastID += 1
      entries.append((lastID, isShared))
      return lastID
    }

    /// Whether one is the first, or shares with all before it.
    func admits(_ id: UInt64) -> Bool {
      if entries.first?.id == id { return true }
      let first = entries.first { !$0.isShared || $0.id == id }
      return first?.id == id && first?.isShared == true
    }
  }

  private let state = Awaited(State())

  /// Runs `body` when no other task is inside, or only such that share.
  ///
  /// - Parameters:
  ///   - operation: What the wait is for, in the error.
  ///   - isShared: Whether others that share may be inside meanwhile.
  ///   - limit: How long to wait, in addition to the enclosing deadlines.
  /// - Throws: What `body` throws; the errors of a wait, before `body` starts.
  func pass<R>(
    on loop: Loop, operation: String, isShared: Bool = false, limit: Duration? = nil,
    _ body: () async throws -> R
  ) async throws -> R {
    let (id, isFree) = state.withLock { state in
      let id = state.enter(isShared)
      return (id, state.admits(id))
    }
    defer { state.change { $0.entries.removeAll { $0.id == id } } }
    if !isFree {
      try await state.until(operation, on: loop, limit: limit) { $0.admits(id) ? () : nil }
    }
    return try await body()
  }
}

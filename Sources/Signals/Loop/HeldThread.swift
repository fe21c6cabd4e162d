// What has the thread of a loop, and for how long: for the warning of a debug build.
//
// A release build has none of it: there the calls are empty.

import Glibc

#if DEBUG
  /// Work that has had a thread without giving it back.
  struct HeldThread: Sendable {
    /// The turn that it belongs to, or where it comes from.
    var name: TurnName
    /// What it waited for last; nil when it has not waited.
    var after: String?
    let thread: pthread_t
    let since: Instant
    /// When it gave the thread back; nil when it has not.
    var until: Instant?

    /// From here on work counts as blocking.
    static let tolerated = Duration.milliseconds(100)

    /// For use in a sentence.
    var description: String { "'\(name)'" + (after.map { " after \($0)" } ?? "") }
  }

  /// The work that has the thread of one loop, and the last that had one for too long.
  struct HeldThreads: Sendable {
    private(set) var present: HeldThread?
    private(set) var last: HeldThread?

    /// A job, a callback or the block of a turn begins on this thread.
    mutating func begin(_ name: TurnName, at now: Instant) {
      present = HeldThread(name: name, thread: pthread_self(), since: now)
    }

    /// The present job turns out to belong to this.
    mutating func note(_ name: TurnName?, after operation: String?) {
      guard present?.thread == pthread_self() else { return }
      if let name { present?.name = name }
      if let operation { present?.after = operation }
    }

    /// It has given the thread back.
    mutating func end(at now: Instant) {
      if let ended = present { keep(ended, at: now) }
      present = nil
    }

    /// Something on this thread has given it back, beside the jobs of the loop.
    mutating func keep(_ held: HeldThread, at now: Instant) {
      guard now - held.since >= HeldThread.tolerated else { return }
      last = held
      last?.until = now
    }

    /// What kept a call on this thread from returning, or its run from going on, at an instant.
    func blocking(at instant: Instant, now: Instant) -> HeldThread? {
      // A call may leave that long after its deadline.
      let latest = instant + HeldThread.tolerated
      if let present, present.since <= latest, now - present.since >= HeldThread.tolerated {
        return present
      }
      guard let last, let until = last.until, last.thread == pthread_self(),
        last.since <= latest, until >= instant
      else { return nil }
      return last
    }
  }

  /// A blocking call, which writes a warning when blocking neighbours make it late.
  struct LateReturn {
    private let name: TurnName
    private let limit: Duration
    private let loop: Loop
    private let deadline: Instant

    init(from name: TurnName, within limit: Duration, on loop: Loop) {
      self.name = name
      self.limit = limit
      self.loop = loop
      deadline = loop.now + limit
    }

    /// Called when the call returns.
    func warnIfLate() {
      let now = loop.now
      guard !loop.isVirtual, now > deadline,
        let held = loop.held.withLock({ $0.blocking(at: deadline, now: now) })
      else { return }
      let text = Self.warning(of: "\(name)", limit, late: now - deadline, by: held, now: now) + "\n"
      _ = text.utf8.withContiguousStorageIfAvailable { Glibc.write(2, $0.baseAddress, $0.count) }
    }

    /// The warning, in one line.
    static func warning(
      of call: String,
      _ limit: Duration,
      late: Duration,
      by held: HeldThread,
      now: Instant
    ) -> String {
      func text(_ duration: Duration) -> String { "\(Int(duration / .milliseconds(1))) ms" }
      let time = text((held.until ?? now) - held.since)
      return "warning: \(call), within \(text(limit)), returned \(text(late)) after its deadline: "
        + "\(held.description) blocked the thread for \(time). Code on a loop has to await; what "
        + "blocks needs a thread of its own"
    }
  }
#endif

extension Loop {
  /// Runs the block of a turn on this thread.
  final func runHeld(_ turn: ReadyTurn) {
    #if DEBUG
      let held = HeldThread(name: turn.name, thread: pthread_self(), since: now)
      defer { self.held.withLock { $0.keep(held, at: now) } }
    #endif
    turn.block()
  }

  /// Runs a job or a callback on this thread, which drives.
  @inline(__always)
  final func holding(_ kind: StaticString, _ body: () -> Void) {
    #if DEBUG
      if isVirtual { return body() }
      held.withLock { $0.begin(TurnName("\(kind)"), at: now) }
      defer { held.withLock { $0.end(at: now) } }
    #endif
    body()
  }

  /// The present job belongs to a call of this name.
  @inline(__always)
  final func noteThread(_ name: TurnName?, after operation: String? = nil) {
    #if DEBUG
      if !isVirtual { held.withLock { $0.note(name, after: operation) } }
    #endif
  }
}

extension Carried {
  /// The present job belongs to this work.
  ///
  /// - Parameter operation: What it has waited for.
  @usableFromInline
  final func noteThread(after operation: String? = nil) {
    #if DEBUG
      loop.noteThread(turn?.name, after: operation)
    #endif
  }
}

/// The block of a turn, which waits for a thread.
struct ReadyTurn: Sendable {
  let name: TurnName
  let block: @Sendable () -> Void
}

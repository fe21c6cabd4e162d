// The loop of virtual time: time stands still while work is queued, then jumps to the next timer.

import CLinux
import Glibc

/// A loop whose time advances only when no other event is left.
///
/// A thread that waits on it drives it: a 30 s timeout costs nothing, and the same work gives the
/// same order of events in every run. Only the thread that made the loop may drive it. Real
/// descriptors are polled without waiting, in the order of registration, until none is ready,
/// before time advances.
public final class VirtualTimeLoop: Loop, @unchecked Sendable {
  /// 2000-01-01T00:00:00Z, where virtual time starts by default.
  public static let defaultWallClock = Duration.seconds(946_684_800)

  // `time` is constant; everything else is protected by `Loop`.
  private let time: VirtualTime

  /// Makes a loop at time zero.
  ///
  /// - Parameters:
  ///   - wallClockAtStart: The wall-clock time at the start, since 1970.
  ///   - eventLimit: The total number of jobs and callbacks after which a wait fails with
  ///     ``EventLimitReached``.
  public init(
    wallClockAtStart: Duration = VirtualTimeLoop.defaultWallClock, eventLimit: Int = 1_000_000_000
  ) {
    time = VirtualTime(wallClockAtStart: wallClockAtStart, eventLimit: eventLimit)
    super.init(time)
  }

  /// Prevents ``LoopIdle`` while `body`, which leaves the loop, is running.
  public func whileAway<R>(_ body: () async throws -> R) async rethrows -> R {
    time.tokens.withLock { $0 += 1 }
    defer {
      time.tokens.withLock { $0 -= 1 }
      time.signalWakeDescriptor()
    }
    return try await body()
  }

  /// Wraps an executor so that time stands still while one of its jobs is queued or running.
  func awaiting(_ executor: any TaskExecutor) -> any TaskExecutor {
    AwayExecutor(executor) { [time] count in
      time.jobsAway.withLock { $0 += count }
      if count < 0 { time.signalWakeDescriptor() }
    }
  }
}

/// A clock that jumps to the next timer when nothing else is left to do.
private final class VirtualTime: EventSource, @unchecked Sendable {
  // `events` is touched only by `thread`, which made the loop: `count` checks that.
  private var events = 0
  private let thread = pthread_self()
  let wallClockAtStart: Duration
  private let eventLimit: Int
  // Advanced by the thread that made the loop, read by any.
  private let time = Guarded(Instant.start)
  /// The number of `whileAway` bodies that are running; the driver waits for them when it has no
  /// other event.
  let tokens = Guarded(0)
  /// The number of jobs that are queued or running on wrapped executors; time stands still for
  /// them.
  let jobsAway = Guarded(0)
  /// The number of successive polls, of one second each, in which none of those jobs ended.
  private var silentPolls = 0
  /// The number of such polls after which time advances anyway: a job may never get a thread.
  private static let silentPollLimit = 30
  /// An eventfd that ends a poll.
  private let wakeDescriptor: Int32

  init(wallClockAtStart: Duration, eventLimit: Int) {
    self.wallClockAtStart = wallClockAtStart
    self.eventLimit = eventLimit
    wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    if wakeDescriptor < 0 {
      endProcess("no file descriptor is left for a loop of virtual time: see ulimit -n")
    }
  }

  deinit {
    close(wakeDescriptor)
  }

  var now: Instant { time.withLock { $0 } }

  var hasBackgroundThread: Bool { false }

  /// Does nothing: every poll lists all watches again.
  func apply(_ change: WatchTable.Change) {}

  func signalWakeDescriptor() {
    var one: UInt64 = 1
    _ = Glibc.write(wakeDescriptor, &one, 8)
  }

  func count(jobs: Int, for loop: Loop) throws {
    precondition(
      pthread_equal(thread, pthread_self()) != 0,
      "a virtual loop is driven by the thread that made it"
    )
    let before = events
    events += jobs
    if events > eventLimit { throw EventLimitReached(limit: eventLimit) }
    if before >> 12 != events >> 12 { pollDescriptors(for: loop) }
  }

  /// The one driver sleeps only while work is away.
  func wake() {
    guard tokens.withLock({ $0 > 0 }) else { return }
    signalWakeDescriptor()
  }

  func waitForEvents(until earliest: Instant?, for loop: Loop) throws {
    try count(jobs: 0, for: loop)
    if poll(wait: false, for: loop) { return }
    if jobsAway.withLock({ $0 > 0 }), silentPolls < Self.silentPollLimit {
      silentPolls = poll(wait: true, for: loop) ? 0 : silentPolls + 1
      return loop.markAwake()
    }
    silentPolls = 0
    // A job that was away may have ended since the driver checked its queue.
    guard loop.state.withLock({ $0.incoming.isEmpty }) else { return loop.markAwake() }
    if let earliest {
      time.withLock { $0 = max($0, earliest) }
      loop.markAwake()
    } else if tokens.withLock({ $0 > 0 }) {
      _ = poll(wait: true, for: loop)
    } else {
      loop.markAwake()
      if loop.state.withLock({ $0.incoming.isEmpty }) { throw LoopIdle(at: now) }
    }
  }

  func pollDescriptors(for loop: Loop) { _ = poll(wait: false, for: loop) }

  private func poll(wait: Bool, for loop: Loop) -> Bool {
    var polled = loop.state.withLock { state in
      state.watches.interests.map {
        pollfd(fd: $0.descriptor, events: Int16(truncatingIfNeeded: $0.events.rawValue), revents: 0)
      }
    }
    guard wait || !polled.isEmpty else { return false }
    polled.append(pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0))
    let ready = Glibc.poll(&polled, UInt(polled.count), wait ? 1000 : 0)
    loop.markAwake()
    guard ready > 0 else { return false }
    for entry in polled where entry.revents != 0 {
      if entry.fd == wakeDescriptor {
        var counter: UInt64 = 0
        _ = Glibc.read(wakeDescriptor, &counter, 8)
      } else {
        loop.report(entry.fd, Watch.Events(rawValue: UInt32(UInt16(bitPattern: entry.revents))))
      }
    }
    return true
  }
}

// The loop of simulated time: time stands still while anything can happen, then jumps.

import CLinux
import Glibc

/// A loop whose time advances only when nothing else is left to do.
///
/// Waiting on it drives it: a 30 s timeout costs nothing, and the same work gives the same order of
/// events in every run. It belongs to the thread that made it. Real descriptors are polled without
/// waiting, in the order of registration, until quiet, before time advances.
public final class VirtualTimeLoop: Loop, @unchecked Sendable {
  /// 2000-01-01T00:00:00Z, where virtual time starts unless told otherwise.
  public static let defaultWallClock = Duration.seconds(946_684_800)

  private let wallClock: Duration
  private let eventLimit: Int
  private let thread = pthread_self()
  // Moved on by the thread that made the loop, read by any.
  private let time = Guarded(Instant.start)
  // Touched only by the thread that made the loop.
  private var events = 0
  // Work that left the loop, and the descriptor that ends a wait for it.
  private let tokens = Guarded(0)
  private let wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

  /// Makes a loop at time zero.
  ///
  /// - Parameters:
  ///   - wallClockAtStart: What the wall clock is said to be at the start, since 1970.
  ///   - eventLimit: How many jobs and callbacks may run in all before a wait fails with
  ///     ``EventLimitReached``.
  public init(
    wallClockAtStart: Duration = VirtualTimeLoop.defaultWallClock,
    eventLimit: Int = 1_000_000_000
  ) {
    self.wallClock = wallClockAtStart
    self.eventLimit = eventLimit
    super.init()
  }

  deinit {
    close(wakeDescriptor)
  }

  public override var now: Instant { time.withLock { $0 } }

  public override var wallClockAtStart: Duration { wallClock }

  private func signalWakeDescriptor() {
    var one: UInt64 = 1
    _ = Glibc.write(wakeDescriptor, &one, 8)
  }

  override func count(jobs: Int) throws {
    precondition(
      pthread_equal(thread, pthread_self()) != 0,
      "a virtual loop is driven by the thread that made it"
    )
    let before = events
    events += jobs
    if events > eventLimit { throw EventLimitReached(limit: eventLimit) }
    if before >> 12 != events >> 12 { pollDescriptors() }
  }

  /// Driven by one thread, which sleeps only while work is away.
  override func wake() {
    guard tokens.withLock({ $0 > 0 }) else { return }
    signalWakeDescriptor()
  }

  override func waitForEvents(until earliest: Instant?) throws {
    try count(jobs: 0)
    if poll(wait: false) { return }
    if let earliest {
      time.withLock { $0 = max($0, earliest) }
      awake()
    } else if tokens.withLock({ $0 > 0 }) {
      _ = poll(wait: true)
    } else {
      awake()
      if state.withLock({ $0.incoming.isEmpty }) { throw LoopIdle(at: now) }
    }
  }

  override func pollDescriptors() { _ = poll(wait: false) }

  /// Keeps the loop from being called idle while `body`, which leaves the loop, is under way.
  public func whileAway<R>(_ body: () async throws -> R) async rethrows -> R {
    tokens.withLock { $0 += 1 }
    defer {
      tokens.withLock { $0 -= 1 }
      signalWakeDescriptor()
    }
    return try await body()
  }

  private func poll(wait: Bool) -> Bool {
    var polled = state.withLock { state in
      state.watches.interests.map {
        pollfd(fd: $0.descriptor, events: Int16(truncatingIfNeeded: $0.events.rawValue), revents: 0)
      }
    }
    guard wait || !polled.isEmpty else { return false }
    polled.append(pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0))
    let ready = Glibc.poll(&polled, UInt(polled.count), wait ? 1000 : 0)
    awake()
    guard ready > 0 else { return false }
    for entry in polled where entry.revents != 0 {
      if entry.fd == wakeDescriptor {
        var counter: UInt64 = 0
        _ = Glibc.read(wakeDescriptor, &counter, 8)
      } else {
        hear(entry.fd, Watch.Events(rawValue: UInt32(UInt16(bitPattern: entry.revents))))
      }
    }
    return true
  }
}

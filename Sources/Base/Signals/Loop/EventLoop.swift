// The loop of real time: epoll, the monotonic clock, and an eventfd that ends a wait.

import CLinux
import Glibc

/// A loop over the monotonic clock and real descriptors.
///
/// Making one costs nothing: its epoll descriptor is opened with the first wait. Any thread may
/// drive it, one thread at a time.
public final class EventLoop: Loop, @unchecked Sendable {
  // No state besides that of `Loop`.

  /// Makes a loop, whose clock starts now.
  public init() { super.init(HostEvents()) }

  /// Reads one of the host's clocks.
  package static func time(_ clock: Int32) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}

/// The host's monotonic clock and an epoll descriptor.
private final class HostEvents: EventSource {
  private let startTime = EventLoop.time(CLOCK_MONOTONIC)
  let wallClockAtStart = EventLoop.time(CLOCK_REALTIME)
  /// The descriptors, opened with the first wait.
  private let descriptors = Guarded<Descriptors?>(nil)

  private struct Descriptors {
    let epoll: Int32
    let wake: Int32
  }

  deinit {
    descriptors.withLock { descriptors in
      if let descriptors {
        close(descriptors.epoll)
        close(descriptors.wake)
      }
    }
  }

  var now: Instant {
    Instant(sinceStart: EventLoop.time(CLOCK_MONOTONIC) - startTime)
  }

  var hasBackgroundThread: Bool { true }

  func count(jobs: Int, for loop: Loop) {}

  private func open() -> Descriptors {
    descriptors.withLock { present in
      if let present { return present }
      let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
      let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
      guard epoll >= 0, wake >= 0 else {
        endProcess("no file descriptor is left for an event loop: see ulimit -n")
      }
      var event = epoll_event()
      event.events = EPOLLIN.rawValue
      event.data.fd = wake
      epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event)
      let made = Descriptors(epoll: epoll, wake: wake)
      present = made
      return made
    }
  }

  func wake() {
    var one: UInt64 = 1
    _ = Glibc.write(open().wake, &one, 8)
  }

  func apply(_ change: WatchTable.Change) {
    let epoll = open().epoll
    var event = epoll_event()
    switch change {
    case .none: break
    case .add(let descriptor, let interest):
      event.events = interest.rawValue
      event.data.fd = descriptor
      epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    case .modify(let descriptor, let interest):
      event.events = interest.rawValue
      event.data.fd = descriptor
      epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
    case .remove(let descriptor):
      epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }
  }

  func waitForEvents(until earliest: Instant?, for loop: Loop) {
    if let earliest {
      wait(max(.zero, earliest - now), for: loop)
    } else {
      wait(nil, for: loop)
    }
  }

  /// A duration rounded up to a nanosecond, so that a timer is due when its wait ends.
  private static func rounded(_ duration: Duration) -> timespec {
    let attoseconds = duration.attoseconds
    // 64-bit division is faster, and enough up to 18 s.
    let nanoseconds =
      if let few = UInt64(exactly: attoseconds), few <= .max - 999_999_999 {
        Int((few + 999_999_999) / 1_000_000_000)
      } else {
        Int(clamping: (attoseconds + 999_999_999) / 1_000_000_000)
      }
    return timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  }

  func pollDescriptors(for loop: Loop) { wait(.zero, for: loop) }

  private func wait(_ duration: Duration?, for loop: Loop) {
    let descriptors = open()
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 16) { events in
      let count: Int32
      if let duration {
        var limit = Self.rounded(duration)
        count = epoll_pwait2(descriptors.epoll, events.baseAddress, 16, &limit, nil)
      } else {
        count = epoll_pwait2(descriptors.epoll, events.baseAddress, 16, nil, nil)
      }
      loop.markAwake()
      guard count > 0 else { return }
      for event in events[..<Int(count)] {
        if event.data.fd == descriptors.wake {
          var counter: UInt64 = 0
          _ = Glibc.read(descriptors.wake, &counter, 8)
        } else {
          loop.report(event.data.fd, Watch.Events(rawValue: event.events))
        }
      }
    }
  }
}

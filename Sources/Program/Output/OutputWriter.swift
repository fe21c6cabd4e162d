// A thread that writes to pipes and terminals, so that a reader who stops stops nobody else.
//
// Thin: OutputQueue decides what is written next. Descriptors keep their flags: other processes have
// the same pipe or terminal.

import CLinux
import Glibc
import Jobs
import Signals

/// Writes lines to one pipe or terminal, in the order in which they were put.
final class OutputWriter: Sendable {
  private struct State {
    var queue: OutputQueue
    /// Why a descriptor cannot be written any more.
    var failures: [Int32: Int32] = [:]
    var onFailure: [Int32: FailureHandler] = [:]
    var isStarted = false
    var isAsleep = false
    /// How many threads wait for the writing to go on.
    var waiting = 0
    /// Counts what was written.
    var writes = 0
  }

  private struct FailureHandler: Sendable {
    let call: @Sendable (_ errorNumber: Int32) -> Void
  }

  /// How a wait for the reader ended.
  enum Waited: Equatable {
    case done
    /// The reader has taken nothing for as long as it may.
    case notRead
  }

  private let state: Guarded<State>
  /// Wakes the thread.
  private let wake = eventfd(0, Int32(EFD_CLOEXEC))
  /// Wakes who waits for the thread.
  private let progress = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

  init(bound: Int = OutputQueue.usualBound) {
    state = Guarded(State(queue: OutputQueue(bound: bound)))
  }

  deinit {
    close(wake)
    close(progress)
  }

  /// Calls `handler` once, on the writing thread, when `descriptor` cannot be written any more.
  func onFailure(of descriptor: Int32, _ handler: @escaping @Sendable (Int32) -> Void) {
    state.withLock { $0.onFailure[descriptor] = FailureHandler(call: handler) }
  }

  /// Why a descriptor cannot be written any more: an error number.
  func failure(of descriptor: Int32) -> Int32? { state.withLock { $0.failures[descriptor] } }

  /// Whether a value of so many octets has room: see ``OutputQueue/admits(_:)``.
  func admits(_ octets: Int) -> Bool { state.withLock { $0.queue.admits(octets) } }

  /// Has a text written. Never waits.
  ///
  /// - Returns: False when too much waits already.
  func put(_ parts: [Written], to descriptor: Int32) -> Bool {
    let octets = Written.octets(of: parts)
    let (isPut, isFirst, wakes) = state.withLock { state in
      guard state.failures[descriptor] == nil else { return (true, false, false) }
      defer {
        state.isStarted = true
        state.isAsleep = false
      }
      return (state.queue.put(octets, to: descriptor), !state.isStarted, state.isAsleep)
    }
    if isFirst { start() }
    if wakes { Self.signal(wake) }
    return isPut
  }

  /// Has a text written at the bottom of a terminal, below all lines; empty for none. Never waits.
  func show(_ text: PrintableText, on descriptor: Int32) {
    let octets = Written.octets(of: [.text(text)])
    let (isFirst, wakes) = state.withLock { state in
      guard state.failures[descriptor] == nil, state.queue.show(octets, on: descriptor) else {
        return (false, false)
      }
      defer { (state.isStarted, state.isAsleep) = (true, false) }
      return (!state.isStarted, state.isAsleep)
    }
    if isFirst { start() }
    if wakes { Self.signal(wake) }
  }

  /// The terminal has another size: what is shown at its bottom is written anew.
  func resized() { state.withLock { $0.queue.resized() } }

  private static func signal(_ descriptor: Int32) {
    var one: UInt64 = 1
    _ = Glibc.write(descriptor, &one, 8)
  }

  // MARK: Waiting

  /// How often a wait looks whether it is still to go on.
  private static let interval = Duration.milliseconds(20)

  /// Waits until there is room for further lines.
  ///
  /// - Parameter patience: How long the reader may take nothing; nil for ever. Asked repeatedly.
  func waitForRoom(patience: () -> Duration?) -> Waited { wait(patience) { $0.hasRoom } }

  /// Waits until everything is written.
  func waitUntilWritten(patience: () -> Duration?) -> Waited { wait(patience) { $0.isEmpty } }

  private func wait(_ patience: () -> Duration?, for condition: (OutputQueue) -> Bool) -> Waited {
    var (isDone, writes) = state.withLock { state in
      state.waiting += 1
      return (condition(state.queue), state.writes)
    }
    defer { state.withLock { $0.waiting -= 1 } }
    var since = EventLoop.time(CLOCK_MONOTONIC)
    while !isDone {
      var polled = pollfd(fd: progress, events: Int16(POLLIN), revents: 0)
      if poll(&polled, 1, Int32(Self.interval / .milliseconds(1))) > 0 {
        var counter: UInt64 = 0
        _ = read(progress, &counter, 8)
      }
      let before = writes
      (isDone, writes) = state.withLock { (condition($0.queue), $0.writes) }
      let now = EventLoop.time(CLOCK_MONOTONIC)
      if writes != before { since = now }
      if let patience = patience(), !isDone, now - since >= patience { return .notRead }
    }
    return .done
  }

  // MARK: The thread

  private func start() {
    if wake < 0 || progress < 0 {
      endProcess("no file descriptor is left for the output: see ulimit -n")
    }
    let number = startThread("output") { self.run() }
    if number != 0 { endProcess("no thread is left for the output: see ulimit -u") }
  }

  private func run() {
    while true {
      let portion = state.withLock { state in
        let portion = state.queue.take()
        state.isAsleep = portion == nil
        return portion
      }
      if let portion {
        write(portion)
      } else {
        var counter: UInt64 = 0
        _ = read(wake, &counter, 8)
      }
    }
  }

  private func write(_ portion: OutputQueue.Portion) {
    let count = portion.octets.withUnsafeBytes {
      Glibc.write(portion.descriptor, $0.baseAddress, $0.count)
    }
    if count < 0, errno != EINTR, errno != EAGAIN {
      return fail(portion.descriptor, errno)
    }
    if count < 0, errno == EAGAIN {
      // Another process has set the pipe or the terminal so.
      var polled = pollfd(fd: portion.descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&polled, 1, 1000)
    }
    let isAwaited = state.withLock { state in
      state.queue.wrote(max(0, count))
      if count > 0 { state.writes += 1 }
      return state.waiting > 0
    }
    if isAwaited { Self.signal(progress) }
  }

  private func fail(_ descriptor: Int32, _ number: Int32) {
    let handler = state.withLock { state in
      state.failures[descriptor] = number
      state.queue.drop(descriptor)
      return state.onFailure.removeValue(forKey: descriptor)
    }
    Self.signal(progress)
    handler?.call(number)
  }
}

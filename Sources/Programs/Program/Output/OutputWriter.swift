// A thread that writes to pipes and terminals, so that a reader that stops does not stop the program.
//
// Thin: OutputQueue decides about the order. The flags of the descriptors stay unchanged, because other processes
// share them. The thread writes only as much as does not block: poll() reports the room of a pipe; a terminal may have
// room for a part only, and is opened a second time with O_NONBLOCK.

import CLinux
import Glibc
import Jobs
import Signals

/// Writes lines to descriptors, in the order of the calls for each of them.
///
/// A regular file is written at once. Each pipe, socket and terminal has a queue.
final class OutputWriter: Sendable {
  /// Called when writing to a descriptor has failed.
  typealias FailureHandler = @Sendable (OutputFailure.Cause) -> Void

  private struct Output {
    var queue: OutputQueue
    /// The descriptor that the thread writes to; nil if writes never wait for a reader and are made at once.
    let queued: Int32?
    /// The time when the reader last took something, or the queue was empty.
    var progressed = Duration.zero
    /// The cause of the failure; nil without one.
    var failure: OutputFailure.Cause?
    var onFailure: FailureHandler?
  }

  private struct State {
    var outputs: [Int32: Output] = [:]
    var isStarted = false
  }

  private let bound: Int
  private let state = Guarded(State())
  /// Wakes the thread.
  private let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
  /// Wakes the threads that wait for progress.
  private let progress = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

  init(bound: Int = OutputQueue.defaultBound) { self.bound = bound }

  deinit {
    close(wake)
    close(progress)
  }

  private func withOutput<Value>(_ descriptor: Int32, _ body: (inout Output) -> Value) -> Value {
    state.withLock { state in
      body(
        &state.outputs[
          descriptor,
          default: Output(queue: OutputQueue(bound: bound), queued: Self.queued(descriptor))
        ]
      )
    }
  }

  /// The descriptor that the thread writes to for pipes, sockets and terminals; nil for other files.
  private static func queued(_ descriptor: Int32) -> Int32? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFIFO, S_IFSOCK: return descriptor
    case S_IFCHR:
      guard isatty(descriptor) == 1 else { return nil }
      let own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      // The terminal of another user, as under sudo, cannot be opened.
      return own < 0 ? descriptor : own
    // open: kinds of files
    default: return nil
    }
  }

  // MARK: Printing

  /// Adds a text to the queue of a descriptor. Never waits for a reader.
  ///
  /// - Parameters:
  ///   - isDroppable: Whether the text is a value, which is dropped if the queue is full.
  ///   - parts: Returns the text. Not called if it is dropped.
  /// - Returns: False if the text was dropped.
  func put(isDroppable: Bool = false, to descriptor: Int32, _ parts: () -> [Written]) -> Bool {
    if isDroppable, withOutput(descriptor, { $0.queue.refusesValue() }) { return false }
    let octets = Written.octets(of: parts())
    var wasEmpty = false
    let admission: OutputQueue.Admission? = withOutput(descriptor) { output in
      guard output.queued != nil || output.failure != nil else { return nil }
      wasEmpty = output.queue.isEmpty
      if wasEmpty { output.progressed = Self.now }
      let admission = output.queue.put(octets, isDroppable: isDroppable)
      // After a failure the text counts as missing.
      if output.failure != nil { output.queue.dropAll() }
      return admission
    }
    switch admission {
    case .waits: if wasEmpty { wakeThread() }
    case .dropped: return false
    case .overflow: fail(descriptor, .notRead)
    case nil:
      if let number = writeAll(descriptor, octets) { fail(descriptor, .system(number)) }
    }
    return true
  }

  /// Shows a text at the bottom of a terminal, below all lines; removes it if empty. Never waits.
  func show(_ text: PrintableText, on descriptor: Int32, isResized: Bool) {
    let octets = Written.octets(of: [.text(text)])
    let isShown = withOutput(descriptor) { output in
      guard output.queued != nil, output.failure == nil else { return false }
      if output.queue.isEmpty { output.progressed = Self.now }
      output.queue.show(octets, isResized: isResized)
      return !output.queue.isEmpty
    }
    if isShown { wakeThread() }
  }

  // MARK: Failing

  /// Calls `handler` once, on any thread, when writing to `descriptor` has failed. Replaces the previous handler.
  func onFailure(of descriptor: Int32, _ handler: @escaping FailureHandler) {
    withOutput(descriptor) { $0.onFailure = handler }
  }

  /// The failure of a descriptor, with counts of the missing text; nil without one.
  func failure(of descriptor: Int32) -> OutputFailure? {
    withOutput(descriptor) { output in
      output.failure.map { OutputFailure(cause: $0, dropped: output.queue.dropped) }
    }
  }

  /// Counts of the text that a descriptor is missing so far.
  func dropped(of descriptor: Int32) -> OutputQueue.Dropped {
    withOutput(descriptor) { $0.queue.dropped }
  }

  /// Marks a descriptor as failed: nothing more is written to it.
  func fail(_ descriptor: Int32, _ cause: OutputFailure.Cause) {
    let handler = withOutput(descriptor) { output in
      output.queue.dropAll()
      output.failure = output.failure ?? cause
      defer { output.onFailure = nil }
      return output.onFailure
    }
    Self.signal(progress)
    handler?(cause)
  }

  // MARK: Waiting

  /// The interval at which a wait checks its condition.
  private static let interval = Duration.milliseconds(20)
  /// The maximum silence before a wait that counts towards its patience: the reader may have been blocked.
  private static let longestStop = Duration.milliseconds(1500)

  private static var now: Duration { EventLoop.time(CLOCK_MONOTONIC) }

  /// Waits until all queues are empty, or their readers have taken nothing for `patience`.
  func flush(patience: Duration) {
    for descriptor in state.withLock({ $0.outputs.keys.sorted() }) {
      _ = wait(for: descriptor, until: { $0.isEmpty }, patience: { patience })
    }
  }

  /// Waits for the reader of a descriptor.
  ///
  /// - Parameter patience: The longest time without progress, including the time before the call; nil for no limit.
  ///   Called repeatedly.
  /// - Returns: False if the reader has taken nothing for that time.
  func wait(
    for descriptor: Int32, until condition: (OutputQueue) -> Bool, patience: () -> Duration?
  ) -> Bool {
    let began = Self.now
    while true {
      let (isDone, progressed) = withOutput(descriptor) { (condition($0.queue), $0.progressed) }
      if isDone { return true }
      let since = max(progressed, began - Self.longestStop)
      if let patience = patience(), Self.now - since >= patience { return false }
      var polled = pollfd(fd: progress, events: Int16(POLLIN), revents: 0)
      if poll(&polled, 1, Int32(Self.interval / .milliseconds(1))) > 0 { Self.drain(progress) }
    }
  }

  // MARK: The thread

  private func wakeThread() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else { return Self.signal(wake) }
    if wake < 0 || progress < 0 {
      endProcess("no file descriptor is left for the output: see ulimit -n")
    }
    let number = startThread("output") { self.run() }
    if number != 0 { endProcess("no thread is left for the output: see ulimit -u") }
  }

  private static func signal(_ descriptor: Int32) {
    var one: UInt64 = 1
    _ = Glibc.write(descriptor, &one, 8)
  }

  private static func drain(_ descriptor: Int32) {
    var counter: UInt64 = 0
    _ = read(descriptor, &counter, 8)
  }

  /// The body of the thread: writes to descriptors with room. Never returns.
  private func run() {
    while true {
      let due = state.withLock { state in
        state.outputs.compactMap { descriptor, output in
          output.queue.isEmpty ? nil : output.queued.map { (descriptor, own: $0) }
        }
      }
      var polled = due.map { pollfd(fd: $0.own, events: Int16(POLLOUT), revents: 0) }
      polled.append(pollfd(fd: wake, events: Int16(POLLIN), revents: 0))
      poll(&polled, nfds_t(polled.count), -1)
      if polled.removeLast().revents != 0 { Self.drain(wake) }
      for ((descriptor, own), ready) in zip(due, polled) where ready.revents != 0 {
        write(descriptor, to: own)
      }
    }
  }

  private func write(_ descriptor: Int32, to own: Int32) {
    guard let octets = withOutput(descriptor, { $0.queue.next() }) else { return }
    let count = octets.withUnsafeBytes { Glibc.write(own, $0.baseAddress, $0.count) }
    if count >= 0 {
      withOutput(descriptor) { output in
        output.progressed = Self.now
        if output.failure == nil { output.queue.wrote(count) }
      }
      Self.signal(progress)
    } else if errno == EAGAIN {
      // poll() may report room on a terminal that has none for the next character.
      poll(nil, 0, 10)
    } else if errno != EINTR {
      fail(descriptor, .system(errno))
    }
  }
}

struct OutputFailure: Error, Equatable, Sendable, CustomStringConvertible {
  enum Cause: Equatable, Sendable, CustomStringConvertible {
    case system(Int32)
    /// The reader has stopped reading.
    case notRead

    var description: String {
      switch self {
      case .system(EPIPE): "the reader of standard output is gone"
      case .system(let number):
        "standard output could not be written: \(String(cString: strerror(number)))"
      case .notRead: "the reader of standard output does not read"
      }
    }
  }

  let cause: Cause
  let dropped: OutputQueue.Dropped

  var description: String {
    let counts = [
      dropped.values > 0 ? counted(dropped.values, "value") : nil,
      dropped.lines > 0 ? counted(dropped.lines, "line") : nil,
    ]
    let missing = counts.compactMap(\.self).joined(separator: " and ")
    return missing.isEmpty ? "\(cause)" : "\(cause); dropped \(missing)"
  }
}

// The logic of a simulated device in another process: a program that blerun starts, or the server of a socket.
//
// One line out, one line in, over one stream socket. It blocks: simulated time stands still until the answer, or until
// the deadline in real time.

import Documents
import Glibc
import Signals
import SimulatedDevices

/// A connection to logic, and the program at its other end if blerun has started it.
final class LogicConnection: Sendable {
  /// The progress of the exchange, and the bytes received so far.
  private struct State {
    /// Whether a line was sent.
    var hasBegun = false
    var received: [UInt8] = []
    var standardError: [UInt8] = []
    /// Whether the program was reaped.
    var isOver = false
    var isClosed = false
  }

  /// The timeout of an answer, and the time at which it passes.
  private typealias Limit = (duration: Duration, end: Duration)

  private let descriptor: Int32
  /// The standard error of the program; nil without a program.
  private let errors: Int32?
  private let child: SupervisedProgram?
  private let device: String
  private let deadline: Duration
  private let state = Guarded(State())

  /// Opens the logic that a device file names.
  static let open: DeviceLogic.Open = { definition, device throws(LogicError.Reason) in
    let connection =
      switch definition.source {
      case .program(let words, let folder):
        try LogicConnection(words, in: folder, of: device, within: definition.deadline)
      case .socket(let path):
        try LogicConnection(socket: path, of: device, within: definition.deadline)
      }
    return DeviceLogic { line throws(LogicError.Reason) in
      try connection.exchange(line)
    } close: {
      connection.close()
    }
  }

  // MARK: Opening

  private init(
    _ words: [String], in folder: String, of device: String, within deadline: Duration
  ) throws(LogicError.Reason) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .notStarted(Self.reason) }
    defer { Glibc.close(ends[1]) }
    let pipe: Pipe
    do throws(Problem) {
      pipe = try Pipe()
    } catch {
      Glibc.close(ends[0])
      throw .notStarted("\(error)")
    }
    defer { pipe.closeWriting() }
    // Reading never blocks; only the program waits if the pipe is full.
    _ = fcntl(pipe.reading, F_SETFL, O_NONBLOCK)
    do throws(ChildProcess.Failure) {
      child = try SupervisedProgram(
        words, in: folder, descriptors: [ends[1], ends[1], pipe.writing]
      )
    } catch {
      Glibc.close(ends[0])
      pipe.closeReading()
      throw .notStarted("\(error)")
    }
    descriptor = ends[0]
    errors = pipe.reading
    self.device = device
    self.deadline = deadline
  }

  private init(
    socket path: String, of device: String, within deadline: Duration
  ) throws(LogicError.Reason) {
    func unreachable(_ reason: String) -> LogicError.Reason {
      .notConnected(socket: path, reason)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let octets = Array(path.utf8)
    let isShort = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard octets.count < place.count else { return false }
      place.copyBytes(from: octets)
      return true
    }
    guard isShort else { throw unreachable("the path is too long for a socket") }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    // Non-blocking: with a full backlog, connect() fails at once.
    let made = Glibc.socket(AF_UNIX, type | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard made >= 0 else { throw unreachable(Self.reason) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        connect(made, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      let reason = Self.reason
      Glibc.close(made)
      throw unreachable(reason)
    }
    descriptor = made
    errors = nil
    child = nil
    self.device = device
    self.deadline = deadline
  }

  deinit { close() }

  private static var reason: String { String(cString: strerror(errno)) }

  // MARK: Lines

  /// The minimum timeout for the first answer, because starting a program takes long on a busy machine.
  private static let startLimit = Duration.seconds(30)

  /// Sends a line, and waits for the answer.
  private func exchange(_ line: String) throws(LogicError.Reason) -> String {
    let isFirst = state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
    let limit = isFirst && child != nil ? max(deadline, Self.startLimit) : deadline
    let end = (limit, EventLoop.time(CLOCK_MONOTONIC) + limit)
    try send(Array((line + "\n").utf8), until: end)
    while true {
      if let answer = try nextLine() { return answer }
      try wait(for: POLLIN, until: end)
      try receive()
    }
  }

  private func send(_ octets: [UInt8], until end: Limit) throws(LogicError.Reason) {
    var rest = octets[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        Glibc.send(
          descriptor,
          bytes.baseAddress,
          bytes.count,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        )
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        try wait(for: POLLOUT, until: end)
      } else if errno != EINTR {
        throw ended()
      }
    }
  }

  /// Removes the next complete line from the received bytes; nil without one.
  private func nextLine() throws(LogicError.Reason) -> String? {
    let octets = state.withLock { state -> [UInt8]? in
      guard let end = state.received.firstIndex(of: UInt8(ascii: "\n")) else {
        return state.received.count > LogicAnswer.longestLine ? state.received : nil
      }
      defer { state.received.removeSubrange(...end) }
      return Array(state.received[..<end])
    }
    guard let octets else { return nil }
    guard octets.count <= LogicAnswer.longestLine else { throw .tooLong }
    guard let line = String(validating: octets, as: UTF8.self) else {
      throw .invalidAnswer(
        "the line is not UTF-8", received: String(decoding: octets, as: UTF8.self)
      )
    }
    return line
  }

  private func receive() throws(LogicError.Reason) {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 {
      state.withLock { $0.received += buffer[..<count] }
      printStandardError()
    } else if count == 0 || errno != EAGAIN && errno != EINTR {
      throw ended()
    }
  }

  /// The longest wait after a signal.
  private static let endingPatience = Duration.seconds(1)

  /// Waits until the socket is ready, and passes on the standard error of the program. Waits in short pieces, because
  /// a signal shortens the wait.
  private func wait(for events: Int32, until limit: Limit) throws(LogicError.Reason) {
    var (end, isEnding) = (limit.end, false)
    while true {
      let now = EventLoop.time(CLOCK_MONOTONIC)
      if !isEnding, SystemSignals.arrived != nil {
        isEnding = true
        end = min(end, now + Self.endingPatience)
      }
      let left = end - now
      guard left > .zero else {
        printStandardError()
        throw .late(limit.duration)
      }
      var polled = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
      if let errors { polled.append(pollfd(fd: errors, events: Int16(POLLIN), revents: 0)) }
      let milliseconds = min(200, Int32(clamping: Int64(left / .milliseconds(1)) + 1))
      guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { continue }
      if polled.count > 1, polled[1].revents & Int16(POLLIN) != 0 { printStandardError() }
      if polled[0].revents != 0 { return }
      // A closed standard error is always ready: waits for the socket alone.
      if polled.count > 1, polled[1].revents & Int16(POLLIN) == 0, polled[1].revents != 0 {
        _ = poll(&polled, 1, milliseconds)
        if polled[0].revents != 0 { return }
      }
    }
  }

  /// The most bytes of standard error that are read at once, and its longest line.
  private static let standardErrorLimit = 64 << 10

  /// Prints the complete lines of the program's standard error, each after the name of the device.
  private func printStandardError(isLast: Bool = false) {
    guard let errors else { return }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    var bytesLeft = Self.standardErrorLimit
    while bytesLeft > 0, case let count = read(errors, &buffer, buffer.count), count > 0 {
      bytesLeft -= count
      state.withLock { $0.standardError += buffer[..<count] }
    }
    let lines = state.withLock { state -> [ArraySlice<UInt8>] in
      var lines = state.standardError.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
      )
      let isLong = (lines.last?.count ?? 0) > Self.standardErrorLimit
      let rest = isLast || isLong ? [] : lines.popLast() ?? []
      state.standardError = Array(rest)
      return lines
    }
    for line in lines where !line.isEmpty {
      StandardError.notice("\(device): \(String(decoding: line, as: UTF8.self))")
    }
  }

  // MARK: The end

  /// The error for a closed connection: the exit of the program, if it ends within ``endingLimit``.
  private func ended() -> LogicError.Reason {
    guard let child else { return .ended("the connection was closed") }
    let exit = child.exitWhenEnded(within: Self.endingLimit)
    state.withLock { $0.isOver = exit != nil }
    printStandardError(isLast: exit != nil)
    switch exit {
    case nil: return .ended("it closed its output")
    case .status(let status)?: return .ended("the program's status is \(status)")
    case .signal(let number)?: return .ended("signal \(number) ended the program")
    }
  }

  /// The longest wait for the exit of a program that has closed its output: on a busy machine it may follow seconds
  /// later.
  private static let endingLimit = Duration.seconds(3)

  /// Closes the connection, and ends the program: by SIGTERM, and by SIGKILL after two seconds.
  private func close() {
    let (isOpen, isOver) = state.withLock { state in
      defer { state.isClosed = true }
      return (!state.isClosed, state.isOver)
    }
    guard isOpen else { return }
    // First: a program that ends by itself, at the end of its input, leaves the programs that it started.
    if !isOver { child?.requestEnd() }
    Glibc.close(descriptor)
    if !isOver { child?.end() }
    printStandardError(isLast: true)
    if let errors { Glibc.close(errors) }
  }
}

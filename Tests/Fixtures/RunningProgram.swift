// A program that a test runs like a user: its output is read while it runs.

import Documents
import Glibc

/// A running program. It is killed when this object is freed.
package final class RunningProgram {
  /// The output and the exit status of a program.
  package struct Ended: Sendable {
    package let output: String
    package let errors: String
    /// The exit status; 128 + n if signal n ended it.
    package let status: Int32

    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The exit status and the standard error on one line.
    package var account: String {
      "status \(status): \(errors.split(separator: "\n").joined(separator: " | "))"
    }
  }

  /// The program ended, or reached its time limit, before it printed the awaited text.
  package struct NotPrinted: Error {
    package let awaited: String
    package let output: String
  }

  /// An output stream of the program.
  private struct Stream {
    var end: Int32?
    var octets: [UInt8] = []

    mutating func close() {
      if let end { Glibc.close(end) }
      end = nil
    }

    /// Reads the available bytes; closes the stream at its end.
    mutating func readAvailable() {
      guard let end else { return }
      let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        count = max(0, read(end, buffer.baseAddress, buffer.count))
      }
      octets += chunk
      if chunk.isEmpty { close() }
    }
  }

  private let child: Child
  private let deadline: Duration
  private let input: Int32?
  /// Standard output and standard error.
  private var streams: [Stream]
  private var hasEnded = false
  /// The streams that are not read at present.
  private var paused: Set<Int> = []

  /// - Parameters:
  ///   - arguments: The program, found on the PATH of its environment, and its arguments.
  ///   - folder: The working directory.
  ///   - environment: The whole environment; nil for that of the tests.
  ///   - hasInput: Whether ``write(_:)`` feeds its standard input, which is empty otherwise.
  ///   - limit: The time limit, after which it is killed.
  package init(
    _ arguments: [String], in folder: String, environment: [String: String]? = nil,
    hasInput: Bool = false, limit: Duration = .seconds(600)
  ) throws {
    child = try Child(
      ["/usr/bin/env", "-C", folder] + arguments, environment: environment,
      streams: [hasInput ? .pipe : .nothing, .pipe, .pipe]
    )
    input = child.ends[0]
    streams = [Stream(end: child.ends[1]), Stream(end: child.ends[2])]
    deadline = Self.now + limit
  }

  deinit {
    if !hasEnded {
      child.send(SIGKILL)
      child.wait()
    }
    for index in streams.indices { streams[index].close() }
    if let input { close(input) }
  }

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private var output: String { printed(.output) }

  private func printed(_ stream: Printed) -> String {
    String(decoding: streams[stream.rawValue].octets, as: UTF8.self)
  }

  /// The process ID.
  package var process: Int32 { child.identifier }

  /// Waits for output and reads it; false if both streams are closed, or the time limit was
  /// reached.
  private func readOutput() -> Bool {
    let open = streams.indices.filter { streams[$0].end != nil && !paused.contains($0) }
    guard !open.isEmpty else { return false }
    var polled = open.map {
      pollfd(fd: streams[$0].end ?? -1, events: Int16(POLLIN), revents: 0)
    }
    let left = max(.zero, deadline - Self.now)
    let ready = poll(&polled, nfds_t(polled.count), Int32(left / .milliseconds(1)) + 1)
    guard ready != 0 else {
      child.send(SIGKILL)
      return false
    }
    for (index, heard) in zip(open, polled) where heard.revents != 0 {
      streams[index].readAvailable()
    }
    return true
  }

  /// Reads until `text` was printed on standard output.
  package func waitForOutput(_ text: String) throws {
    while !output.contains(text) {
      guard streams[0].end != nil, readOutput() else {
        throw NotPrinted(awaited: text, output: output)
      }
    }
  }

  /// Reads until `text` was printed on standard error.
  package func waitForErrors(_ text: String) throws {
    while !printed(.errors).contains(text) {
      guard streams[1].end != nil, readOutput() else {
        throw NotPrinted(awaited: text, output: printed(.errors))
      }
    }
  }

  /// Reads until `count` lines were printed on standard output, or the program has ended.
  package func waitForLines(_ count: Int) {
    while streams[0].octets.count(where: { $0 == UInt8(ascii: "\n") }) < count {
      guard streams[0].end != nil, readOutput() else { return }
    }
  }

  /// Waits for `mark` on standard output, and returns the rest of its line.
  package func waitForText(after mark: String) throws -> String {
    try waitForOutput(mark)
    while true {
      let rest = output.split(separator: mark, maxSplits: 1).last ?? ""
      if let end = rest.firstIndex(of: "\n") { return String(rest[..<end]) }
      guard readOutput() else { throw NotPrinted(awaited: mark, output: output) }
    }
  }

  /// Writes to its standard input.
  package func write(_ text: String) {
    var text = text
    guard let input else { return }
    text.withUTF8 { _ = Glibc.write(input, $0.baseAddress, $0.count) }
  }

  package func send(_ signal: Int32) { child.send(signal) }

  /// Stops the program, and waits until it has stopped.
  package func pause() { child.pause() }

  /// An output stream of the program.
  package enum Printed: Int {
    case output, errors
  }

  /// Stops reading a stream, like a pager whose user does not scroll.
  package func pause(_ stream: Printed) { paused.insert(stream.rawValue) }

  /// Reads a stream again.
  package func resume(_ stream: Printed) { paused.remove(stream.rawValue) }

  /// Whether the program has ended. Its output is still read.
  package func hasExited() -> Bool {
    var status = siginfo_t()
    waitid(P_PID, id_t(child.identifier), &status, WEXITED | WNOHANG | WNOWAIT)
    return status.si_signo == SIGCHLD
  }

  /// The names of its threads.
  package var threads: [String] {
    let tasks = "/proc/\(child.identifier)/task"
    var names: [String] = []
    for number in Folder.names(in: tasks) ?? [] {
      guard let file = fopen("\(tasks)/\(number)/comm", "r") else { continue }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 64)
      guard fgets(&line, 64, file) != nil else { continue }
      let octets = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
      names.append(String(decoding: octets, as: UTF8.self))
    }
    return names
  }

  /// Closes standard output, as `head` does.
  package func closeOutput() { streams[0].close() }

  /// Waits for the end of the program. Must be called only once.
  package func end() -> Ended {
    while readOutput() {}
    var status = child.statusIfEnded()
    while status == nil {
      if Self.now > deadline { child.send(SIGKILL) }
      poll(nil, 0, 1)
      status = child.statusIfEnded()
    }
    hasEnded = true
    return Ended(
      output: output, errors: String(decoding: streams[1].octets, as: UTF8.self),
      status: status ?? -1
    )
  }
}

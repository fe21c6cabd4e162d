// A program run by a test, as a user runs it: its output is read as it comes.

import Documents
import Glibc

/// A running program. It is killed when it is no longer held.
package final class RunningProgram {
  /// What a program printed and how it ended.
  package struct Ended: Sendable {
    package let output: String
    package let errors: String
    /// 128 + n when signal n ended it.
    package let status: Int32

    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// How it ended and what it said about that, on one line.
    package var account: String {
      "status \(status): \(errors.split(separator: "\n").joined(separator: " | "))"
    }
  }

  /// It ended, or its time did, before it printed what was awaited.
  package struct NotPrinted: Error {
    package let awaited: String
    package let output: String
  }

  /// A stream of it that is read.
  private struct Stream {
    var end: Int32?
    var octets: [UInt8] = []

    mutating func close() {
      if let end { Glibc.close(end) }
      end = nil
    }

    /// Takes what has come; the stream is closed at its end.
    mutating func take() {
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
  /// The streams that are not read for the time being.
  private var paused: Set<Int> = []

  /// - Parameters:
  ///   - arguments: The program, found along the PATH of its environment, and its arguments.
  ///   - folder: Where it runs.
  ///   - environment: The whole environment; that of the tests without one.
  ///   - hasInput: Whether ``write(_:)`` is its standard input; else nothing is there.
  ///   - limit: How long it may take: it is killed then.
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

  /// Its number on this host.
  package var process: Int32 { child.identifier }

  /// Waits until a stream has something; false when both are closed, or it was killed for its time.
  private func hear() -> Bool {
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
    for (index, heard) in zip(open, polled) where heard.revents != 0 { streams[index].take() }
    return true
  }

  /// Reads until `text` was printed on standard output.
  package func waitForOutput(_ text: String) throws {
    while !output.contains(text) {
      guard streams[0].end != nil, hear() else {
        throw NotPrinted(awaited: text, output: output)
      }
    }
  }

  /// Reads until `text` was printed on standard error.
  package func waitForErrors(_ text: String) throws {
    while !printed(.errors).contains(text) {
      guard streams[1].end != nil, hear() else {
        throw NotPrinted(awaited: text, output: printed(.errors))
      }
    }
  }

  /// Reads until so many lines were printed on standard output; fewer when it ended before.
  package func waitForLines(_ count: Int) {
    while streams[0].octets.count(where: { $0 == UInt8(ascii: "\n") }) < count {
      guard streams[0].end != nil, hear() else { return }
    }
  }

  /// The text after `mark` on the line where it was printed.
  package func waitForText(after mark: String) throws -> String {
    try waitForOutput(mark)
    while true {
      let rest = output.split(separator: mark, maxSplits: 1).last ?? ""
      if let end = rest.firstIndex(of: "\n") { return String(rest[..<end]) }
      guard hear() else { throw NotPrinted(awaited: mark, output: output) }
    }
  }

  /// Writes to its standard input.
  package func write(_ text: String) {
    var text = text
    guard let input else { return }
    text.withUTF8 { _ = Glibc.write(input, $0.baseAddress, $0.count) }
  }

  package func send(_ signal: Int32) { child.send(signal) }

  /// Stops it, and returns once it has stopped.
  package func pause() { child.pause() }

  /// A stream that the program prints to.
  package enum Printed: Int {
    case output, errors
  }

  /// Does not read a stream any more, as a pager does that nobody pages.
  package func pause(_ stream: Printed) { paused.insert(stream.rawValue) }

  /// Reads a stream again.
  package func resume(_ stream: Printed) { paused.remove(stream.rawValue) }

  /// Whether it has ended. What it has printed by then is still read.
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

  /// Waits for the end. To be called once.
  package func end() -> Ended {
    while hear() {}
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

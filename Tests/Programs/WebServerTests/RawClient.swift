// A raw browser for tests: one socket, with exact control over what is sent and received.

import Glibc
import Signals

@testable import WebServer

/// Counts, from any thread.
final class Counter: Sendable {
  private let value = Guarded(0)
  var count: Int { value.withLock { $0 } }
  func add() { value.withLock { $0 += 1 } }
}

/// One connection to a server. Each wait has a deadline.
final class RawClient {
  struct Failure: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  /// One answer.
  struct Answer {
    let status: Int
    let headers: [String: String]
    let body: String
  }

  /// The longest life of a connection. Only a failure needs so long.
  private static let limit = Duration.seconds(300)

  let descriptor: Int32
  private let deadline: Duration
  /// Received bytes not yet read; for a chunked body only its text.
  private var received: [UInt8] = []
  /// Set while the body of an answer comes in chunks.
  private var chunks: Chunks?
  private(set) var isClosed = false

  private static var now: Duration { EventLoop.time(CLOCK_MONOTONIC) }

  /// - Parameter buffer: The size of the buffer that the kernel receives into; its own without one.
  init(port: UInt16, buffer: Int32? = nil) throws {
    deadline = Self.now + Self.limit
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure("no socket: errno \(errno)") }
    if var buffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, 4) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
    try connect(&name)
  }

  /// A connection to a Unix socket.
  init(path: String) throws {
    deadline = Self.now + Self.limit
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    try connect(&name)
  }

  deinit { close(descriptor) }

  private func connect<Name>(_ name: inout Name) throws {
    let status = withUnsafeBytes(of: &name) { bytes in
      Glibc.connect(
        descriptor,
        bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count)
      )
    }
    guard status == 0 else { throw Failure("not connected: errno \(errno)") }
  }

  /// Writes all of it as the peer accepts it; false if the peer has closed.
  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard wait(for: POLLOUT) else { return false }
      let count = rest.withUnsafeBytes {
        Glibc.send(
          descriptor,
          $0.baseAddress,
          $0.count,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        )
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func wait(for events: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    let left = max(.zero, deadline - Self.now)
    return poll(&polled, 1, Int32(left / .milliseconds(1)) + 1) > 0
  }

  /// Reads once; false at the end.
  private func receive() throws -> Bool {
    guard !isClosed else { return false }
    guard wait(for: POLLIN) else { throw Failure("nothing came in time after: \(text)") }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else {
      isClosed = true
      return false
    }
    take(buffer[..<count])
    return true
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    let end = chunks?.read(bytes, into: &received) ?? bytes.startIndex
    if chunks?.isComplete == true { chunks = nil }
    received += bytes[end...]
  }

  private var text: String { String(decoding: received.suffix(2000), as: UTF8.self) }

  /// Reads up to and including `mark`.
  func read(to mark: String) throws -> String {
    let mark = Array(mark.utf8)
    var from = 0
    while true {
      if let end = Self.find(mark, in: received, from: from) {
        defer { received.removeFirst(end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      from = max(0, received.count - mark.count + 1)
      guard try receive() else { throw Failure("closed after: \(text)") }
    }
  }

  /// The index behind the first occurrence.
  private static func find(_ mark: [UInt8], in bytes: [UInt8], from: Int) -> Int? {
    guard bytes.count >= from + mark.count else { return nil }
    for start in from...(bytes.count - mark.count)
    where bytes[start] == mark[0] && bytes[start..<start + mark.count].elementsEqual(mark) {
      return start + mark.count
    }
    return nil
  }

  /// Takes what comes up to the end of a body in chunks.
  func readToEndOfChunks() throws -> String {
    while chunks != nil {
      guard try receive() else { throw Failure("closed within a body after: \(text)") }
    }
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  /// Takes what comes until the other end closes.
  func readToEnd() throws -> String {
    while try receive() {}
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  /// Takes one answer whose length is known.
  func answer(hasBody: Bool = true) throws -> Answer {
    let (status, headers) = try head()
    let length = hasBody ? Int(headers["content-length"] ?? "0") ?? 0 : 0
    while received.count < length {
      guard try receive() else { throw Failure("closed in a body after: \(text)") }
    }
    defer { received.removeFirst(length) }
    return Answer(
      status: status, headers: headers, body: String(decoding: received[..<length], as: UTF8.self)
    )
  }

  /// Takes the status and the headers of an answer; its body is read without the borders of chunks.
  func head() throws -> (status: Int, headers: [String: String]) {
    let lines = try read(to: "\r\n\r\n").split(separator: "\r\n")
    let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let sides = line.split(separator: ":", maxSplits: 1)
      headers[sides[0].lowercased()] = sides.count > 1 ? String(sides[1].dropFirst()) : ""
    }
    if headers["transfer-encoding"] == "chunked" {
      let body = received[...]
      received = []
      chunks = Chunks()
      take(body)
    }
    return (status, headers)
  }
}

/// A body in chunks as it comes, in pieces of any length. Source: RFC 9112, section 7.1.
private struct Chunks {
  private var line: [UInt8] = []
  /// The rest of the current chunk, with its line break.
  private var left = 0
  private var isLast = false
  var isComplete: Bool { isLast && left == 0 }

  /// Appends the text in `bytes` to `body`; the index behind what belongs to the chunks.
  mutating func read(_ bytes: ArraySlice<UInt8>, into body: inout [UInt8]) -> Int {
    for (index, byte) in zip(bytes.indices, bytes) {
      if isComplete { return index }
      if left > 0 {
        if left > 2 { body.append(byte) }
        left -= 1
      } else if byte == UInt8(ascii: "\n") {
        let size = Int(String(decoding: line, as: UTF8.self), radix: 16) ?? 0
        isLast = size == 0
        left = size + 2
        line = []
      } else if byte != UInt8(ascii: "\r") {
        line.append(byte)
      }
    }
    return bytes.endIndex
  }
}

/// A server of a test, on a loop of its own.
final class TestServer: Sendable {
  static let token = "correct-horse-battery"

  let loop = EventLoop()
  let server: WebServer
  let address: WebServer.Address

  init(
    place: ListeningPlace = .loopback(port: 0), limits: WebLimits = WebLimits(),
    handler: @escaping WebServer.Handler
  ) async throws {
    let rules = AccessRules(place: place, token: try SecretText(Self.token))
    server = WebServer(on: loop, rules: rules, limits: limits, handler: handler)
    address = try await server.start()
  }

  var port: UInt16 { address.port ?? 0 }

  func client(buffer: Int32? = nil) throws -> RawClient {
    try RawClient(port: port, buffer: buffer)
  }

  /// The lines of a request up to its end.
  func request(_ line: String, _ headers: [String] = [], body: String = "") -> String {
    var lines = ["\(line) HTTP/1.1", "Host: localhost:\(port)"] + headers
    if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  var origin: String { "Origin: http://localhost:\(port)" }

  /// One request over a connection of its own.
  func ask(_ line: String, _ headers: [String] = [], body: String = "") throws -> RawClient.Answer {
    let client = try client()
    client.send(request(line, headers, body: body))
    return try client.answer(hasBody: !line.hasPrefix("HEAD"))
  }

  func stop(within limit: Duration = .seconds(5)) async { await server.stop(within: limit) }
}

/// Waits, within a limit, for a condition that the loop brings about.
func eventually(_ condition: () -> Bool) -> Bool {
  let end = EventLoop.time(CLOCK_MONOTONIC) + .seconds(60)
  while !condition() {
    guard EventLoop.time(CLOCK_MONOTONIC) < end else { return false }
    poll(nil, 0, 1)
  }
  return true
}

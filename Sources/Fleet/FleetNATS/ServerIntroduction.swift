// The first line that a NATS server sends on a connection: its version and its cluster.
//
// libnats 3.4 does not make it available, so it is read on a separate connection that is then closed.

import Documents
import Glibc
import Jobs
import Signals

/// The first line from a server, `INFO {…}`.
struct ServerIntroduction: Sendable {
  /// The longest line that is accepted, in bytes.
  private static let longest = 64 << 10

  /// The version of the server, such as `2.9.10`.
  let version: String
  /// The name of its cluster; nil if it is not in one.
  let cluster: String?
  /// Whether its configuration has JetStream. It stays true when JetStream turns itself off.
  let hasJetStream: Bool

  /// Parses the line.
  ///
  /// - Returns: Nil if it is not such a line.
  init?(_ line: String) {
    guard line.hasPrefix("INFO "), let json = try? JSONValue(parsing: String(line.dropFirst(5))),
      let version = json["version"]?.string
    else { return nil }
    self.version = version
    cluster = json["cluster"]?.string
    hasJetStream = json["jetstream"]?.text == "true"
  }

  /// Returns the first three numbers of a version, for comparison: 2, 10, 0 of `2.10.0-beta.1`.
  static func numbers(_ version: String) -> [Int] {
    version.split { !$0.isNumber }.prefix(3).map { Int($0) ?? 0 }
  }

  /// Whether the version is `other` or later.
  func isAtLeast(_ other: String) -> Bool {
    !Self.numbers(version).lexicographicallyPrecedes(Self.numbers(other))
  }

  /// Tries to read the line until a server that is just being started answers. Blocks.
  ///
  /// - Throws: ``FleetServerError/unreachable(server:reason:)`` when the limit has passed.
  static func await(
    from address: FleetAddress, within limit: Duration
  ) throws(FleetServerError) -> ServerIntroduction {
    let deadline = EventLoop.time(CLOCK_MONOTONIC) + limit
    while true {
      let left = deadline - EventLoop.time(CLOCK_MONOTONIC)
      do {
        return try read(from: address, within: max(.milliseconds(1), left))
      } catch {
        guard left > .milliseconds(200) else { throw error }
        poll(nil, 0, 200)
      }
    }
  }

  /// Connects to a server and reads its line. Blocks.
  ///
  /// - Throws: ``FleetServerError/unreachable(server:reason:)``.
  static func read(
    from address: FleetAddress, within limit: Duration
  ) throws(FleetServerError) -> ServerIntroduction {
    func unreachable(_ reason: String) -> FleetServerError {
      .unreachable(server: address.server, reason: reason)
    }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(address.host, "\(address.port)", &hints, &found)
    guard status == 0 else { throw unreachable(String(cString: gai_strerror(status))) }
    defer { freeaddrinfo(found) }
    let deadline = EventLoop.time(CLOCK_MONOTONIC) + limit
    var reason = "no address"
    var next = found
    while let place = next {
      switch line(of: place.pointee, until: deadline) {
      case .success(let line):
        guard let introduction = ServerIntroduction(line) else {
          throw unreachable("it is not a NATS server, or it expects TLS first")
        }
        return introduction
      case .failure(let failure): reason = failure.reason
      }
      next = place.pointee.ai_next
    }
    throw unreachable(reason)
  }

  private struct Failure: Error { let reason: String }

  private static func line(
    of place: addrinfo, until deadline: Duration
  ) -> Result<String, Failure> {
    let type = place.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(place.ai_family, type, place.ai_protocol)
    guard descriptor >= 0 else { return .failure(.init(reason: String(cString: strerror(errno)))) }
    defer { close(descriptor) }
    if connect(descriptor, place.ai_addr, place.ai_addrlen) != 0, errno != EINPROGRESS {
      return .failure(.init(reason: String(cString: strerror(errno))))
    }
    var octets: [UInt8] = []
    var isConnected = false
    while octets.count < longest {
      let left = deadline - EventLoop.time(CLOCK_MONOTONIC)
      var polled = pollfd(fd: descriptor, events: Int16(isConnected ? POLLIN : POLLOUT), revents: 0)
      guard left > .zero, poll(&polled, 1, Int32(left / .milliseconds(1)) + 1) > 0 else {
        return .failure(.init(reason: isConnected ? "it sends nothing" : "no answer"))
      }
      if !isConnected {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
        if number != 0 { return .failure(.init(reason: String(cString: strerror(number)))) }
        isConnected = true
        continue
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return .failure(.init(reason: "it closed the connection")) }
      octets += buffer.prefix(count)
      if let end = octets.firstIndex(of: UInt8(ascii: "\n")) {
        return .success(String(decoding: octets[..<end], as: UTF8.self))
      }
    }
    return .failure(.init(reason: "its first line is too long"))
  }
}

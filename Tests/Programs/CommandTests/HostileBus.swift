// A message bus that stops answering: it speaks the protocol up to one point.

import Fixtures
import Foundation
import Glibc

/// A server on a Unix socket that accepts one client, and stalls.
final class HostileBus: Sendable {
  /// The point from which the bus sends nothing more.
  enum Stall: String, CaseIterable, Sendable {
    /// No reply at all, starting with the first line of the authentication.
    case authentication
    case hello = "Hello"
    case matchRule = "AddMatch"
    case owner = "GetNameOwner"
    case objects = "GetManagedObjects"
    /// Only half of the reply to Hello is sent.
    case half
    /// No connection is accepted, and the backlog is full.
    case queue
  }

  let address: String
  private let path: String
  private let stall: Stall
  private let listener: Int32
  private let reached = DispatchSemaphore(value: 0)
  /// The connections that fill the backlog.
  private let fillers: [Int32]

  init(_ stall: Stall) throws {
    let socketPath =
      FileManager.default.temporaryDirectory
      .appending(path: "bus-\(ProcessInfo.processInfo.globallyUniqueString)").path
    path = socketPath
    address = "unix:path=\(socketPath)"
    self.stall = stall
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) {
      $0.copyBytes(from: Array(socketPath.utf8).prefix(107))
    }
    let isBound = Self.withAddress(name) { bind(listener, $0, $1) == 0 }
    precondition(isBound && listen(listener, stall == .queue ? 0 : 8) == 0, socketPath)
    fillers = stall == .queue ? Self.fill(name) : []
    if stall != .queue { start() }
  }

  private static func withAddress(
    _ name: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    withUnsafePointer(to: name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Connects until the backlog is full.
  private static func fill(_ name: sockaddr_un) -> [Int32] {
    var fillers: [Int32] = []
    while true {
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      let filler = socket(AF_UNIX, kind, 0)
      fillers.append(filler)
      let isTaken = withAddress(name) { connect(filler, $0, $1) == 0 }
      if !isTaken { return fillers }
    }
  }

  deinit {
    // Its thread closes it, once nothing is accepted any more: until then no other bus gets its number.
    shutdown(listener, Int32(SHUT_RDWR))
    if stall == .queue { close(listener) }
    for filler in fillers { close(filler) }
    unlink(path)
  }

  /// Waits until a program has reached the point of the stall.
  func isReached(by program: RunningProgram) -> Bool {
    guard stall == .queue else { return reached.wait(timeout: .now() + 60) == .success }
    for _ in 0..<3_000 {
      if program.threads.contains("dbus-connect") { return true }
      poll(nil, 0, 20)
    }
    return false
  }

  private func start() {
    let (listener, stall, reached) = (listener, stall, reached)
    let thread = Thread {
      defer { close(listener) }
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        HostileClient(client, stall, reached).serve()
        close(client)
      }
    }
    thread.start()
  }
}

/// One connection.
private final class HostileClient {
  private let descriptor: Int32
  private let stall: HostileBus.Stall
  private let reached: DispatchSemaphore
  private var octets: [UInt8] = []

  init(_ descriptor: Int32, _ stall: HostileBus.Stall, _ reached: DispatchSemaphore) {
    self.descriptor = descriptor
    self.stall = stall
    self.reached = reached
  }

  func serve() {
    guard authenticate() else { return wait() }
    while let call = nextCall() {
      if call.member == stall.rawValue { return wait() }
      let reply = reply(to: call)
      if stall == .half, call.member == HostileBus.Stall.hello.rawValue {
        send(Array(reply.prefix(reply.count / 2)))
        return wait()
      }
      send(reply)
    }
  }

  /// Keeps reading until the client closes, and answers nothing.
  private func wait() {
    reached.signal()
    while more() {}
  }

  private func more() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return false }
    octets += buffer[..<count]
    return true
  }

  private func send(_ octets: [UInt8]) {
    _ = Glibc.send(descriptor, octets, octets.count, Int32(MSG_NOSIGNAL))
  }

  // MARK: The protocol

  private func authenticate() -> Bool {
    guard stall != .authentication else { return false }
    while true {
      while let end = octets.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: octets[..<end].drop { $0 == 0 }, as: UTF8.self)
        octets.removeFirst(end + 1)
        if line.hasPrefix("AUTH EXTERNAL") {
          send(Array("OK 0123456789abcdef0123456789abcdef\r\n".utf8))
        } else if line.hasPrefix("NEGOTIATE_UNIX_FD") {
          send(Array("AGREE_UNIX_FD\r\n".utf8))
        } else if line.hasPrefix("BEGIN") {
          return true
        } else {
          send(Array("REJECTED EXTERNAL\r\n".utf8))
        }
      }
      guard more() else { return false }
    }
  }

  private struct Call {
    let serial: UInt32
    let member: String
  }

  /// The next message; little-endian, as libdbus sends it here.
  private func nextCall() -> Call? {
    while octets.count < 16 { if !more() { return nil } }
    let body = Int(number(at: 4))
    let fields = Int(number(at: 12))
    let head = (16 + fields + 7) / 8 * 8
    while octets.count < head + body { if !more() { return nil } }
    defer { octets.removeFirst(head + body) }
    var place = 16
    var member = ""
    while place < 16 + fields {
      place = (place + 7) / 8 * 8
      let code = octets[place]
      let type = octets[place + 2]
      place += 4
      if type == UInt8(ascii: "g") {
        place += Int(octets[place]) + 2
      } else if type == UInt8(ascii: "u") {
        place += 4
      } else {
        let count = Int(number(at: place))
        let text = octets[(place + 4)..<(place + 4 + count)]
        if code == 3 { member = String(decoding: text, as: UTF8.self) }
        place += 4 + count + 1
      }
    }
    return Call(serial: number(at: 8), member: member)
  }

  private func number(at place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(octets[place + $1]) << UInt32(8 * $1) }
  }

  private func reply(to call: Call) -> [UInt8] {
    var body: [UInt8] = []
    switch call.member {
    case "Hello": append(":1.1", to: &body)
    case "GetNameOwner": append(":1.2", to: &body)
    default: break
    }
    var fields: [UInt8] = [5, 1, UInt8(ascii: "u"), 0]
    append(call.serial, to: &fields)
    if !body.isEmpty { fields += [8, 1, UInt8(ascii: "g"), 0, 1, UInt8(ascii: "s"), 0] }
    var message: [UInt8] = [UInt8(ascii: "l"), 2, 1, 1]
    append(UInt32(body.count), to: &message)
    append(1, to: &message)
    append(UInt32(fields.count), to: &message)
    message += fields
    while message.count % 8 != 0 { message.append(0) }
    return message + body
  }

  private func append(_ number: UInt32, to octets: inout [UInt8]) {
    octets += (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
  }

  private func append(_ text: String, to octets: inout [UInt8]) {
    append(UInt32(text.utf8.count), to: &octets)
    octets += Array(text.utf8) + [0]
  }
}

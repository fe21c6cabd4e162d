// A bus with two connections, in memory or through libdbus.

import Fixtures
import Signals
import Testing

@testable import DBus

/// The kinds of bus that keep the contract.
enum Front: String, CaseIterable {
  /// libdbus, and a dbus-daemon of its own.
  case libdbus
  /// In memory.
  case loopback
  /// In memory, each message through libdbus's marshaller and back.
  case marshalledLoopback

  static let all = allCases
}

/// A server and a client on one bus.
final class ContractBus: Sendable {
  static let interface = "org.example.Echo"

  let loop = EventLoop()
  let client: MessageBus
  let server: MessageBus
  private let daemon: PrivateDaemon?
  private let loopback: LoopbackBus?
  private let ending: LoopEnding

  init(_ front: Front) async throws {
    switch front {
    case .libdbus:
      let daemon = try PrivateDaemon()
      let address = BusAddress.given(daemon.address)
      let limits = ReadLimits.large
      client = try await MessageBus.open(address: address, on: loop, receiving: limits)
      server = try await MessageBus.open(address: address, on: loop, receiving: limits)
      self.daemon = daemon
      loopback = nil
    case .loopback, .marshalledLoopback:
      let marshalled: LoopbackBus.Transcoding = { try MarshalledMessage.roundTrip($0) }
      let bus = LoopbackBus(
        on: loop, address: "memory", observer: nil,
        transcode: front == .loopback ? nil : marshalled
      )
      client = try bus.connect()
      server = try bus.connect()
      daemon = nil
      loopback = bus
    }
    ending = LoopEnding(loop) { [client, server, loopback] in
      client.close()
      server.close()
      loopback?.shutDown()
    }
  }

  /// Ends the bus, and with it every connection.
  func stop() {
    daemon?.stop()
    loopback?.shutDown()
  }

  func call(_ member: String, _ body: [DBusValue] = []) -> MethodCall {
    do {
      return try MethodCall(
        destination: server.uniqueName, path: "/a", interface: Self.interface, member: member,
        body: body
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }

  func signal(_ member: String) -> Message {
    do {
      return try .signal(path: "/a", interface: Self.interface, member: member)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Returns when everything posted to the loop before has run.
  func posted() async throws {
    try await wait(on: loop, operation: "the loop") { (done: Completion<Void>) in
      loop.post { done.succeed(()) }
    }
  }
}

/// Answers Echo with its arguments, Fail with an error; keeps Hold.
struct Echo: ObjectHandler {
  let held = Guarded<[Invocation]>([])

  func handle(_ invocation: Invocation) -> Bool {
    switch invocation.message.member {
    case "Echo": invocation.reply(invocation.message.body)
    case "Fail": invocation.fail(DBusError(name: "org.example.Error.No", message: "no"))
    case "Hold": held.withLock { $0.append(invocation) }
    default: return false
    }
    return true
  }
}

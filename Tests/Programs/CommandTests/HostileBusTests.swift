// A bus that stops answering blocks no command: every wait has a deadline and reacts to signals.

import DBus
import Fixtures
import Foundation
import Glibc
import Signals
import Testing

@Suite("A bus that stops answering", .blocking)
struct HostileBusTests {
  private static let run = ["run", "-d", "C0:FF:EE:00:00:07", "-e", "read battery-level"]
  private static let scan = ["scan", "--for", "1s"]

  private func start(_ arguments: [String], on bus: HostileBus) throws -> RunningProgram {
    try RunningProgram(
      blerun: arguments, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address],
      limit: .seconds(120)
    )
  }

  @Test(
    "a run ends by itself, as if there were no bus", arguments: sampled(HostileBus.Stall.allCases)
  )
  func deadline(stall: HostileBus.Stall) throws {
    let bus = try HostileBus(stall)
    let began = Date()
    let ended = try start(Self.run, on: bus).end()
    #expect(ended.status == 69, "\(ended.output) \(ended.errors)")
    #expect(Date().timeIntervalSince(began) < 60)
  }

  @Test(
    "a signal ends a run immediately, with the status of the signal",
    arguments: HostileBus.Stall.allCases
  )
  func signals(stall: HostileBus.Stall) throws {
    let bus = try HostileBus(stall)
    let program = try start(Self.run, on: bus)
    #expect(bus.isReached(by: program))
    let began = Date()
    program.send(SIGTERM)
    let ended = program.end()
    #expect(ended.status == 143, "\(ended.output) \(ended.errors)")
    // The limit for the bus would be 30 s.
    #expect(Date().timeIntervalSince(began) < 20)
  }

  @Test(
    "a signal ends other commands immediately, too",
    arguments: [scan, ["doctor"], ["inspect", "-d", "X"], ["watch", "-d", "X", "ff01"]]
  )
  func commands(arguments: [String]) throws {
    let bus = try HostileBus(.objects)
    let program = try start(arguments, on: bus)
    #expect(bus.isReached(by: program))
    program.send(SIGINT)
    let ended = program.end()
    #expect(ended.status == 130, "\(ended.output) \(ended.errors)")
  }

  @Test(
    "repeated attempts to open a bus that never accepts leave at most 4 threads"
  )
  func attempts() throws {
    let bus = try HostileBus(.queue)
    let address = bus.address
    let loop = EventLoop()
    defer { loop.end() }
    let failures = try loop.run {
      var failures: [any Error] = []
      for _ in 0..<10 {
        do {
          let limit = Duration.milliseconds(20)
          let bus = try await MessageBus.open(address: .given(address), on: loop, limit: limit)
          bus.close()
        } catch {
          failures.append(error)
        }
      }
      return failures
    }
    #expect(failures.count == 10)
    #expect(failures.count { $0 is TimedOut } == 4)
    let reason = "4 earlier attempts still wait for the bus to accept them"
    let refused = BusFailure.unreachable(address: address, reason: reason)
    #expect(failures.dropFirst(4).allSatisfy { $0 as? BusFailure == refused }, "\(failures)")
  }

  @Test("a batch does not begin any device")
  func batch() throws {
    let folder = try TemporaryFolder()
    let devices = (10..<50).map { "  - C0:FF:EE:00:00:\($0)" }.joined(separator: "\n")
    _ = try folder.file("chain.yaml", "steps: [{ read: battery-level }]\n")
    let file = try folder.file("batch.yaml", "chain: chain.yaml\ndevices:\n\(devices)\n")
    let bus = try HostileBus(.objects)
    let program = try start(["batch", file, "--output", "json"], on: bus)
    #expect(bus.isReached(by: program))
    program.send(SIGTERM)
    let ended = program.end()
    #expect(ended.status == 143, "\(ended.errors)")
    #expect(ended.output.isEmpty, "\(ended.output)")
  }
}

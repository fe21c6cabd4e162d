// Readers that stop: neither deadlines nor signals nor clean-up wait for them, and dropped output is
// counted.

import Fixtures
import Foundation
import Glibc
import Testing

@Suite("Readers that stop", .blocking)
struct StoppedReaderTests {
  /// A thousand long values a second: a stopped reader misses some after three seconds.
  private static let flood = """
    scenario: Flood
    host: { disconnect-delay: 20ms }
    devices:
      - name: Flood-1
        address: C0:FF:EE:00:00:07
        advertisement: { services: [ff00], interval: 20ms }
        link: { connect-time: 5ms, latency: 1ms, mtu: 517 }
        services:
          - service: ff00
            characteristics:
              - characteristic: ff01
                properties: [notify]
                series:
                  values: [{ hex: "\(String(repeating: "00", count: 400))" }]
                  every: 1ms
    """
  private static let watch = ["watch", "-d", "C0:FF:EE:00:00:07", "ff01", "--output", "json"]

  private let host: SimulatedHost

  init() throws { host = try SimulatedHost(Self.flood) }

  private func start(_ arguments: [String]) throws -> RunningProgram {
    let program = try host.start(arguments)
    try program.waitForOutput(#""event":"value""#)
    return program
  }

  @Test("a deadline ends a watch whose output is not read, with a status and a count of the loss")
  func deadline() throws {
    let program = try start(Self.watch + ["--for", "4s"])
    program.pause(.output)
    let began = Date()
    let ended = program.end()
    #expect(ended.status == 74, "\(ended.errors)")
    #expect(ended.errors.contains(/does not read; dropped \d+ values( and \d+ lines?)?\n/))
    #expect(Date().timeIntervalSince(began) < 30)
    #expect(try !host.isConnected())
  }

  @Test("a signal ends a watch whose output is not read")
  func signals() throws {
    let program = try start(Self.watch)
    program.pause(.output)
    // Until the pipe is full and more output is waiting.
    poll(nil, 0, 1_000)
    let began = Date()
    program.send(SIGINT)
    let ended = program.end()
    #expect(ended.status == 130, "\(ended.errors)")
    #expect(Date().timeIntervalSince(began) < 30)
    #expect(try !host.isConnected())
  }

  @Test("a run whose output is not read disconnects and reports that its result was lost")
  func run() throws {
    let program = try start(
      ["run", "-d", "C0:FF:EE:00:00:07", "-e", "notify ff01 for 4s", "--output", "json"]
    )
    program.pause(.output)
    #expect(program.end().status == 74)
    #expect(try !host.isConnected())
  }

  @Test("a stopped reader of standard error does not block the run")
  func errors() throws {
    let program = try start(Self.watch + ["--for", "3s"])
    program.pause(.errors)
    #expect(program.end().status == 0)
  }

  @Test("a simulation in virtual time waits for its reader, and leaves out nothing")
  func virtualTime() throws {
    let scenario = try host.folder.file("flood.yaml", Self.flood)
    let arguments = [
      "run", "--simulate", scenario, "-e", "notify ff01 for 3s", "--output", "json",
    ]
    let program = try RunningProgram(blerun: arguments)
    try program.waitForOutput(#""event":"value""#)
    program.pause(.output)
    poll(nil, 0, 1_000)
    #expect(!program.hasExited())
    program.resume(.output)
    let ended = program.end()
    #expect(ended.status == 0)
    #expect(!ended.output.contains(#""cause":"output""#))
    #expect(ended.lines.last?.contains(#""event":"run-finished""#) == true)
  }

  @Test("a signal ends a simulation in virtual time whose output is not read")
  func virtualSignal() throws {
    let scenario = try host.folder.file("flood.yaml", Self.flood)
    let program = try RunningProgram(
      blerun: ["run", "--simulate", scenario, "-e", "notify ff01 for 1h", "--output", "json"]
    )
    try program.waitForOutput(#""event":"value""#)
    program.pause(.output)
    program.send(SIGTERM)
    #expect(program.end().status == 143)
  }
}

// Commands on one device of one host: runs wait for each other, and none ends another's connection.

import Fixtures
import Glibc
import Testing

@testable import Program

@Suite("Commands on one device", .blocking)
struct RunsOnOneDeviceTests {
  private static let listening = "notify heart-rate-measurement for 1h"

  private let host: SimulatedHost

  init() throws { host = try SimulatedHost() }

  private func listen() throws -> RunningProgram {
    let run = try host.start(["run", "-d", host.device, "-e", Self.listening, "--output", "json"])
    try run.waitForOutput(#""event":"value""#)
    return run
  }

  private func end(_ program: RunningProgram, with signal: Int32 = SIGTERM) -> Int32? {
    program.send(signal)
    return program.end().status
  }

  @Test("eight commands started at once, by address and by name, all exit with 0")
  func eight() throws {
    let steps = "read body-sensor-location; notify heart-rate-measurement until 3x"
    let runs = try (0..<8).map { number in
      try host.start(["run", "-d", number.isMultiple(of: 2) ? host.device : "Quick-*", "-e", steps])
    }
    for run in runs {
      let ended = run.end()
      #expect(ended.status == 0, "\(ended.output) \(ended.errors)")
    }
    #expect(try !host.isConnected())
    #expect(host.leases.isEmpty)
  }

  @Test("a run waits for the run that holds the device, and names it")
  func waits() throws {
    let first = try listen()
    let second = try host.start(["run", "-d", host.device, "-e", "read body-sensor-location"])
    try second.waitForErrors("waiting for run 1, process \(first.process)")
    #expect(end(first) == 143)
    #expect(second.end().status == 0)
  }

  @Test("a killed run does not block its device")
  func killed() throws {
    let first = try listen()
    let second = try host.start(["run", "-d", host.device, "-e", "read body-sensor-location"])
    try second.waitForErrors("waiting for run 1")
    _ = end(first, with: SIGKILL)
    #expect(second.end().status == 0)
  }

  @Test("--no-wait fails at once, in a run and in a batch")
  func noWait() throws {
    let first = try listen()
    let run = try host.run("run", "-d", host.device, "-e", "log x", "--no-wait")
    #expect(run.status == 75 && run.output.contains("run 1, process"), "\(run.output)")
    let file = try host.folder.file(
      "batch.yaml", "devices: [\(host.device)]\nsteps: [ { read: body-sensor-location } ]\n"
    )
    #expect(try host.run("batch", file, "--no-wait").status == 75)
    #expect(end(first) == 143)
  }

  @Test("an exclusive run does not share a connection")
  func exclusive() throws {
    let watch = try host.start(["watch", host.device, "heart-rate-measurement", "--output", "json"])
    try watch.waitForOutput(#""event":"value""#)
    let steps = ["-d", host.device, "-e", "read body-sensor-location"]
    let run = try host.start(["run"] + steps + ["--exclusive"]).end()
    #expect(run.status == 75 && run.output.contains("was connected already"), "\(run.output)")
    #expect(try host.isConnected())
    #expect(end(watch) == 143)
    #expect(try host.start(["run"] + steps + ["--exclusive"]).end().status == 0)
  }

  @Test("a watch, an inspect and a run share the connection, and the last one ends it")
  func shares() throws {
    let watch = try host.start(["watch", host.device, "heart-rate-measurement", "--output", "json"])
    try watch.waitForOutput(#""event":"value""#)
    #expect(try host.run("inspect", "-d", host.device).status == 0)
    let short = try host.run("run", "-d", host.device, "-e", "read body-sensor-location")
    #expect(short.output.contains("-  connect  ok, was connected before\n"), "\(short.output)")
    #expect(
      short.output.contains("-  disconnect  ok, others still use the connection\n"),
      "\(short.output)"
    )
    #expect(try host.isConnected())
    let run = try listen()
    #expect(try host.run("inspect", "-d", host.device).status == 0)
    // The watch has made the connection.
    #expect(end(watch) == 143)
    #expect(try host.isConnected())
    run.send(SIGTERM)
    let ended = run.end()
    #expect(ended.status == 143)
    #expect(ended.output.contains(#""status":"ok","link":"shared""#), "\(ended.output)")
    #expect(ended.output.contains(#""operation":"disconnect","status":"ok"}"#), "\(ended.output)")
    #expect(try !host.isConnected())
    #expect(host.leases.isEmpty)
  }
}

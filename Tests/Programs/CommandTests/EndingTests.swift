// How a run that is interrupted ends: always disconnected, with the promised status of the process.

import Fixtures
import Foundation
import Glibc
import Testing

@testable import Program

@Suite("How commands end", .blocking)
struct EndingTests {
  static let long = [
    "run", "--simulate", "Simulators/devices/heart-rate.yaml", "--real-time", "--output", "json",
    "-e", "notify heart-rate-measurement for 1h",
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A run that listens, on a host that takes this long to end a link.
  private func start(disconnecting delay: String) throws -> RunningProgram {
    let belt = "\(projectFolder)/Simulators/devices/heart-rate.yaml"
    let host = try folder.file(
      "host.yaml",
      "scenario: A host\ndevices: [ { use: \(belt) } ]\nhost: { disconnect-delay: \(delay) }\n"
    )
    let run = try RunningProgram(blerun: Self.long.map { $0.hasSuffix(".yaml") ? host : $0 })
    try run.waitForOutput(#""event":"value""#)
    return run
  }

  @Test(
    "a signal cancels the chain, disconnects and sets the status, even if sent twice at once",
    arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129), (SIGQUIT, 131)] as [(Int32, Int32)]
  )
  func signals(signal: Int32, status: Int32) throws {
    // Much less than the second within which the other signal counts as a repeat, even if sent late.
    let run = try start(disconnecting: "200ms")
    run.send(signal)
    // One that is sent while the first is pending is merged with it by the kernel.
    try run.waitForOutput(#""operation":"disconnect""#)
    run.send(signal)
    let ended = run.end()
    #expect(ended.status == status)
    #expect(!ended.errors.contains("leaving now"), "\(ended.errors)")
    #expect(ended.lines.last?.contains(#""exitStatus":\#(status)"#) == true)
  }

  @Test(
    "the message on a signal names what it ends",
    arguments: [
      (["scan", "--follow", "--for", "1h", "--real-time"], "ending the scan"),
      (["watch", "heart-rate-measurement"], "ending the watch and disconnecting"),
      (
        ["run", "-e", "notify heart-rate-measurement for 1h", "--real-time"],
        "ending the chain and disconnecting"
      ),
    ]
  )
  func names(arguments: [String], message: String) throws {
    let run = try RunningProgram(
      blerun: arguments + ["--simulate", "Simulators/devices/heart-rate.yaml"]
    )
    run.waitForLines(1)
    run.send(SIGINT)
    let ended = run.end()
    #expect(ended.status == 130)
    let expected = "blerun: SIGINT: \(message); press Ctrl-C again to leave at once\n"
    #expect(ended.errors.hasSuffix(expected), "\(ended.errors)")
  }

  @Test("a second Ctrl-C exits immediately")
  func secondInterrupt() throws {
    let run = try start(disconnecting: "60s")
    run.send(SIGINT)
    // The second signal comes while the disconnect is under way.
    try run.waitForOutput(#""operation":"disconnect""#)
    Thread.sleep(forTimeInterval: 1.1)
    run.send(SIGINT)
    let ended = run.end()
    #expect(ended.status == 130)
    #expect(ended.errors.contains("leaving now"), "\(ended.errors)")
  }

  @Test("the same signal within a second is one request; a later or different one is a second")
  func requests() {
    var requests = EndingRequests()
    var decisions: [Bool] = []
    let arrivals: [(SystemSignal, Duration)] = [
      (.interrupt, .seconds(100)), (.interrupt, .seconds(100)),
      (.interrupt, .milliseconds(100_999)), (.terminate, .milliseconds(100_999)),
      (.terminate, .seconds(101)), (.interrupt, .seconds(101)),
      (.interrupt, .milliseconds(101_500)),
    ]
    for (signal, now) in arrivals { decisions.append(requests.isNew(signal, at: now)) }
    #expect(decisions == [true, false, false, true, false, true, false])
  }

  @Test("closing standard output ends the run with its clean-up")
  func closedOutput() throws {
    let run = try RunningProgram(blerun: Self.long)
    try run.waitForOutput(#""event":"value""#)
    run.closeOutput()
    let ended = run.end()
    #expect(ended.status == 74)
    #expect(ended.errors.contains("standard output"))
  }

  @Test("a signal ends the wait for a file that never arrives", arguments: [SIGINT, SIGTERM])
  func awaitedFile(signal: Int32) throws {
    let pipe = FileManager.default.temporaryDirectory
      .appending(path: "pipe-\(ProcessInfo.processInfo.globallyUniqueString)").path
    #expect(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    let run = try RunningProgram(blerun: ["check", pipe])
    // Opens when there is a reader; nothing is ever written.
    let writer = open(pipe, O_WRONLY | O_CLOEXEC)
    defer { close(writer) }
    run.send(signal)
    #expect(run.end().status == 128 + signal)
  }
}

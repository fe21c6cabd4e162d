// Batches as a user runs them: many devices, signals, a terminal, exit status, a bound of memory.

import Fixtures
import Foundation
import Glibc
import Journal
import Testing

@Suite("blerun batch", .blocking)
struct BatchCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func batch(_ count: Int, _ more: String) throws -> String {
    let names = (1...count).map { "Tag-\($0)" }.joined(separator: ", ")
    return try folder.file("batch.yaml", "devices: [ \(names) ]\n\(more)\n")
  }

  @Test(
    "a batch of hundreds of devices, eight at a time, runs in bounded memory with a journal",
    .disabled(if: Sanitizer.isActive, "an instrumented program has memory of its own")
  )
  func thousand() throws {
    let count = testsEverything ? 1000 : 250
    let world = try folder.tags(count)
    let batch = try batch(count, "steps: [ { read: battery-level } ]\nconcurrency: 8")
    // The kernel limits the data segment of the program to this size, in KiB.
    let bounded = "ulimit -d \(Self.memory); exec \"$0\" \"$@\""
    let run = try RunningProgram(
      ["/bin/sh", "-c", bounded, binaryPath, "batch", batch, "--simulate", world]
        + ["--journal", folder.path + "/journal.sqlite"],
      in: projectFolder, limit: .seconds(300)
    ).end()
    #expect(run.status == 0, "\(run.errors.suffix(2000))")
    #expect(run.output.contains("\(count) devices: \(count) ok\n"))
    // Without a terminal, a plain line is printed for each tenth.
    let progress = run.errors.split(separator: "\n").filter { $0.contains("/\(count) devices") }
    #expect(progress.count == 10 && progress.last == "blerun: \(count)/\(count) devices")
    #expect(!run.errors.contains("\u{1b}"))
    let file = try JournalFile(reading: folder.path + "/journal.sqlite")
    let kept = try #require(try file.runs().first)
    #expect(kept.exitStatus == 0 && kept.chains.count == count)
    #expect(kept.chains.allSatisfy { $0.status == "ok" && $0.values == 1 })
  }

  private static let memory = 196_608

  @Test("hourly rounds lose no step on tags that change their addresses every 15 minutes")
  func changingAddresses() throws {
    let world = try folder.file(
      "tags.yaml",
      """
      name: Tag-#
      count: 12
      address: 00:00:5E:00:53:10
      address-type: public
      private-address: { kind: resolvable, every: 15m }
      services:
        - service: battery
          characteristics:
            - { characteristic: battery-level, properties: [read], value: { u8: 87 } }
      """
    )
    let batch = try folder.file(
      "day.yaml",
      """
      devices: { scan: 5s, name: "Tag-*", at-least: 12 }
      steps: [ { read: battery-level }, { sleep: 3m } ]
      every: 1h
      """
    )
    let rounds = testsEverything ? 24 : 5
    let run = try blerun([
      "batch", batch, "--simulate", world, "--runs", "\(rounds)", "--output", "json",
    ])
    #expect(run.status == 0, "\(run.errors.suffix(2000))")
    let steps = run.output.split(separator: "\n").filter {
      $0.contains(#""event":"step-finished""#)
    }
    #expect(
      steps.count { $0.contains(#""operation":"read""#) && $0.contains(#""status":"ok""#) }
        == 12 * rounds
    )
    #expect(steps.allSatisfy { $0.contains(#""status":"ok""#) })
  }

  @Test("a terminal that cannot rewrite a line gets plain lines")
  func dumb() throws {
    let (world, batch) = (try folder.tags(3), try batch(3, "steps: [ { read: battery-level } ]"))
    let shown = try RunningProgram(
      ["script", "-qec", "\(binaryPath) batch \(batch) --simulate \(world)", "/dev/null"],
      in: projectFolder,
      environment: ProcessInfo.processInfo.environment.merging(["TERM": "dumb"]) { $1 },
      limit: .seconds(300)
    ).end().output
    #expect(!shown.contains("\u{1b}"))
    #expect(shown.contains("blerun: 3/3 devices"))
  }

  @Test("SIGTERM ends the running chains and the wait for the next round")
  func signal() throws {
    let (world, batch) = (
      try folder.tags(3), try batch(3, "steps: [ { read: battery-level }, { sleep: 50s } ]")
    )
    let run = try RunningProgram(
      blerun: ["batch", batch, "--simulate", world, "--real-time", "--each-step"]
    )
    try run.waitForOutput("read battery-level")
    run.send(SIGTERM)
    let ended = run.end()
    #expect(ended.status == 143)
    #expect(ended.output.contains("Tag-1  -  disconnect  ok"))
    #expect(ended.output.contains("3 devices: 1 cancelled, 2 not run"))
    #expect(ended.output.contains("not run: Tag-2, Tag-3"))

    let again = try self.batch(1, "steps: [ { read: battery-level } ]\nevery: 1h")
    let waiting = try RunningProgram(blerun: ["batch", again, "--simulate", world, "--real-time"])
    try waiting.waitForOutput("1 device: 1 ok")
    waiting.send(SIGTERM)
    #expect(waiting.end().status == 143)
  }

  @Test("simulated time with a schedule needs a number of runs")
  func endless() throws {
    let (world, batch) = (
      try folder.tags(1), try batch(1, "steps: [ { read: battery-level } ]\nevery: 1h")
    )
    let run = try blerun("batch", batch, "--simulate", world)
    #expect(run.status == 2)
    #expect(run.errors.contains("limit it with --runs"))
  }

  @Test("connection options and the step timeout apply to all devices")
  func options() throws {
    let batch = try batch(2, "steps: [ { read: battery-level } ]")
    let plan = try blerun([
      "batch", batch, "--dry-run", "--timeout", "3s", "--fresh", "--wait-for-adapter", "9s",
    ])
    #expect(plan.lines.count { $0 == "timeout   3s a step" } == 1, "\(plan.output)")
    #expect(plan.output.contains("device    is forgotten first and found anew\n"))
    #expect(plan.output.contains("adapter   is waited for, up to 9s\n"))
    #expect(!plan.output.contains("(not named)"))
    let found = try folder.file("found.yaml", "devices: { scan: 1s }\nsteps: [ { log: x } ]\n")
    let run = try blerun("batch", found, "--simulate", try folder.tags(2), "--timeout", "1ms")
    #expect(run.output.contains("failed at connecting"), "\(run.output)")
    #expect(run.status == 75)
  }
}

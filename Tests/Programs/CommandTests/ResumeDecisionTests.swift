// The decision on `--resume`, based on the journal.

import Bluetooth
import Jobs
import Testing

@testable import Journal
@testable import Program

@Suite("Deciding how to resume a batch")
struct ResumeDecisionTests {
  private static func batch(_ names: String..., concurrency: Int = 1) throws -> Batch {
    let plan = try Plan.parse(line: "read battery-level")
    let devices = names.map { BatchDevice(label: $0, target: .name($0), plan: plan) }
    return Batch(devices: .listed(devices), concurrency: concurrency)
  }

  /// A run of a batch of two devices, as a journal has it.
  private static func run(
    of batch: Batch?, finished: String? = nil, status: Int32? = nil, members: Bool = true,
    chains: [ChainSummary] = []
  ) -> RunSummary {
    let origin = batch.map { BatchOrigin(file: "/b", name: nil, digest: $0.digest, round: 3) }
    let devices = members ? ["A", "B"].map { BatchMember(device: $0, name: nil) } : []
    return RunSummary(
      run: 12, identity: "", command: "batch",
      definition: batch?.lines.joined(separator: "\n") ?? "", seed: "0", isSimulated: false,
      owner: "77 1 boot", version: "", started: "2026-01-01T00:00:00.000000Z", finished: finished,
      exitStatus: status, batch: origin.map { BatchSummary(origin: $0, devices: devices) },
      resumptions: [], chains: chains
    )
  }

  private static let done =
    FinishedDevice(device: "A", status: "ok", exitStatus: 0, class: nil, warnings: 0)

  private static func decide(
    _ batch: Batch, _ run: RunSummary?, number: Int64? = nil, isSimulated: Bool = false,
    isThere: Bool = false
  ) -> Result<BatchResumption.Decision, CommandExit> {
    let wish = BatchResumption.Wish(
      run: number, skipsFailed: false, file: "b.yaml", batch: batch, isSimulated: isSimulated
    )
    return Result { () throws(CommandExit) in
      try BatchResumption.decide(wish, run, [done]) { _ in isThere }
    }
  }

  private static func refusal(_ decision: Result<BatchResumption.Decision, CommandExit>)
    -> CommandExit?
  {
    if case .failure(let ending) = decision { ending } else { nil }
  }

  @Test("the list of runs counts only the warnings of the last chain of a resumed device")
  func warnings() throws {
    let chains = [("A", 4), ("B", 2), ("A", 1)].enumerated().map { index, chain in
      ChainSummary(
        chain: index + 1, device: chain.0, name: nil, started: "", finished: nil, took: nil,
        status: "ok", exitStatus: 0, code: nil, class: nil, stepsDone: 1, warnings: chain.1,
        values: 0
      )
    }
    let run = try Self.run(of: Self.batch("A", "B"), finished: "", status: 0, chains: chains)
    #expect(run.columns[4] == "ok, 3 warnings")
  }

  @Test("a killed run is resumed with the remaining devices")
  func killed() throws {
    let batch = try Self.batch("A", "B")
    // The concurrency does not matter.
    let more = try Self.batch("A", "B", concurrency: 2)
    guard case .success(.goOn(let found)) = Self.decide(more, Self.run(of: batch)) else {
      Issue.record("it does not go on")
      return
    }
    #expect(found.run == 12 && found.owner == "77 1 boot")
    #expect(found.past.round == 3 && found.past.left == 1)
    #expect(found.notice == "resuming run 12: 1 of 2 devices succeeded, 1 to be run")
  }

  @Test(
    "a device of a fleet whose end is unknown is left out, unless it is to be run again",
    arguments: [false, true]
  )
  func unknown(isRunAgain: Bool) throws {
    let batch = try Self.batch("A", "B")
    var lost = FinishedDevice(
      device: "B", status: "failed", exitStatus: 1, class: "definite", warnings: 0
    )
    (lost.code, lost.chains) = ("unknown", 2)
    let wish = BatchResumption.Wish(
      skipsFailed: false, runsUnknown: isRunAgain, file: "b.yaml", batch: batch, isSimulated: false
    )
    let run = Self.run(of: batch)
    let decision = try BatchResumption.decide(wish, run, [Self.done, lost]) { _ in false }
    guard case .goOn(let found) = decision else {
      Issue.record("it does not go on")
      return
    }
    #expect(found.past.left == (isRunAgain ? 1 : 0))
    #expect(found.past.counts.failed == (isRunAgain ? 0 : 1))
    #expect(found.chains == ["A": 1, "B": 2])
  }

  @Test("a run killed before its devices were recorded resumes with the listed devices")
  func early() throws {
    let batch = try Self.batch("A", "B")
    guard case .success(.goOn(let found)) = Self.decide(batch, Self.run(of: batch, members: false))
    else {
      Issue.record("it does not go on")
      return
    }
    #expect(found.past.devices.map(\.label) == ["A", "B"])
  }

  @Test("a run that succeeded leaves nothing to do")
  func well() throws {
    let batch = try Self.batch("A", "B")
    let decision = Self.decide(batch, Self.run(of: batch, finished: "2026", status: 0))
    guard case .success(.nothing(let reason)) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(reason.contains("run 12, which began at 2026-01-01T00:00:00.000000Z, succeeded"))
  }

  @Test("a successful run does not count for a changed batch or for other devices")
  func wellButOther() throws {
    let batch = try Self.batch("A", "B")
    let run = Self.run(of: batch, finished: "2026", status: 0)
    let more = try #require(Self.refusal(Self.decide(try Self.batch("A", "B", "C"), run)))
    #expect(more.status == .data)
    #expect(more.messages.joined().contains("(then 'for A, B', now 'for A, B, C')"))
    let other = try #require(Self.refusal(Self.decide(try Self.batch("X"), run, number: 12)))
    #expect(other.status == .data && other.messages.joined().contains("now 'for X'"))
    let real = try #require(Self.refusal(Self.decide(batch, run, isSimulated: true)))
    #expect(real.status == .usage)
  }

  @Test(
    "the history names the reason why a batch ended, even if no chain failed",
    arguments: [
      (0, "ok"), (1, "failed"), (74, "failed: interrupted"), (143, "failed: interrupted"),
    ]
  )
  func state(status: Int32, state: String) throws {
    let run = Self.run(of: try Self.batch("A", "B"), finished: "2026", status: status)
    #expect(run.state == state)
  }

  @Test("a batch that cannot be resumed reports the reason and the status")
  func refusals() throws {
    let batch = try Self.batch("A", "B")
    let run = Self.run(of: batch)
    let cases: [(Result<BatchResumption.Decision, CommandExit>, Jobs.ExitStatus, String)] = [
      (Self.decide(batch, nil), .failed, "the journal has no run of b.yaml"),
      (Self.decide(batch, nil, number: 4), .failed, "the journal has no run 4"),
      (Self.decide(batch, Self.run(of: nil)), .usage, "run 12 is of no batch"),
      (Self.decide(batch, run, isThere: true), .passing, "under way, in process 77"),
      (Self.decide(batch, run, isSimulated: true), .usage, "run 12 is one of real devices"),
      (
        Self.decide(try Self.batch("A", "B", "C"), run), .data,
        "(then 'for A, B', now 'for A, B, C')"
      ),
    ]
    for (decision, status, words) in cases {
      let ending = try #require(Self.refusal(decision), "\(words)")
      #expect(ending.status == status, "\(words)")
      #expect(ending.messages.joined().contains(words), "\(ending.messages)")
    }
  }
}

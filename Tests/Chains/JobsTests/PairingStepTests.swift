// Pairing steps: their syntax, their operations and their reports.

import Bluetooth
import Documents
import Fixtures
import Foundation
import Signals
import Testing

@testable import Jobs

@Suite("Pairing steps")
struct PairingStepTests {
  let bench = RunBench()

  func steps(_ text: String) throws -> [Step] {
    try Plan.parse("steps:\n\(text)", file: "chain.yaml").steps
  }

  // MARK: Writing

  @Test("a file and a line make the same step")
  func forms() throws {
    let file = try steps(
      """
        - unpair
        - pair:
            capability: keyboard-display
            confirm: 042137
            just-works: false
            passkey: { env: LOCK }
          timeout: 30s
        - pair: { confirm: true, passkey: { file: "a file" } }
        - pair
        - trust
        - trust: false
      """
    )
    let line = try Plan.parse(
      line: """
        unpair; pair capability keyboard-display confirm 042137 passkey env:LOCK just-works no \
        within 30s; pair confirm yes passkey file:'a file'; pair; trust; trust no
        """
    )
    #expect(file == line.steps)
    let written = file.map(\.description).joined(separator: "; ")
    #expect(try Plan.parse(line: written).steps == file)
    let rule = PairingRule(
      capability: .keyboardDisplay, acceptsJustWorks: false, comparison: .only(42137),
      secret: SecretReference(.environment("LOCK"))
    )
    #expect(file[1] == Step(.pair(PairStep(rule)), timeout: .seconds(30)))
  }

  @Test("forgetting the device first does not connect to it")
  func impliedConnect() throws {
    func places(_ line: String) throws -> [String] {
      try Plan.parse(line: line).placedSteps.map(\.position.description)
    }
    #expect(try places("unpair") == ["1"])
    #expect(try places("unpair; pair") == ["1", "connect", "2"])
    #expect(try places("pair; unpair") == ["connect", "1", "2"])
    #expect(try places("unpair; connect; pair") == ["1", "2", "3"])
  }

  @Test("errors are reported without repeating a passkey")
  func wrong() {
    let found = Plan.complaints(
      """
      pairing: { confrim: true }
      steps:
        - pair: { capability: keyboard, passkey: { env: A, file: B } }
        - pair: { confirm: maybe, passkey: 12345678901234567 }
        - pair: 042137
        - trust: 3
      """
    )
    #expect(found.count == 7)
    #expect(!found.contains { $0.contains("12345678901234567") })
    #expect(found.contains { $0.contains("did you mean 'confirm'?") })
    #expect(found.contains { $0.contains("a passkey has exactly one source") })
    for line in ["pair passkey 042137", "pair passkey env:", "pair passkey pin:042137"] {
      do {
        _ = try Plan.parse(line: line)
        Issue.record("'\(line)' was taken")
      } catch {
        #expect(!"\(error)".contains("042137"))
        #expect("\(error)".contains("env:NAME or file:PATH"))
      }
    }
  }

  // MARK: Doing

  @Test("each step runs its operation and reports the outcome")
  func operations() throws {
    bench.device.answer("pair", .value([]), .value([1]), .value([2]))
    try bench.run("unpair; pair; pair; trust; trust no; pair")
    #expect(
      bench.device.calls == [
        "unpair", "agent no-input-no-output", "connect", "no agent", "pair no-input-no-output",
        "pair no-input-no-output", "trust", "distrust", "pair no-input-no-output", "disconnect",
      ]
    )
    #expect(bench.text().contains("2  pair  ok"))
    #expect(bench.text().contains("3  pair  ok, was paired before"))
    #expect(bench.text().contains("6  pair  paired, unauthenticated"))
    #expect(bench.json().contains { $0.contains(#""status":"ok","pairing":"already"}"#) })
    for isAuthenticated in [true, false] {
      let members = #""pairing":"paired","authenticated":\#(isAuthenticated)}"#
      #expect(bench.json().contains { $0.contains(members) })
    }
  }

  @Test("a chain with pairing answers registers its agent before connecting and removes it after")
  func answering() throws {
    try bench.run(
      file: """
        pairing: { confirm: true }
        steps: [ { read: battery-level } ]
        """
    )
    #expect(
      bench.device.calls == [
        "agent display-yes-no", "connect", "read battery-level", "disconnect", "no agent",
      ]
    )
  }

  @Test("unpairing ends the connection, and the chain does not disconnect again")
  func unpaired() throws {
    try bench.run("pair; unpair")
    #expect(bench.device.calls.last == "unpair")
  }

  @Test("pairing has a longer default timeout, which a step can override")
  func limit() throws {
    bench.device.answer("pair", .silence)
    try bench.run("pair")
    #expect(bench.ending?.failure?.message.contains("within 45s") == true)
    bench.device.forgetCalls()
    try bench.run("pair within 3s")
    #expect(bench.ending?.failure?.message.contains("within 3s") == true)
  }

  // MARK: Reports

  @Test("a passkey to type on the device is an event and a line, with its step and six digits")
  func display() throws {
    let placed = PlacedStep(
      try #require(StepPosition.place([Step(.unpair)]).first).position, Step.pair()
    ).reported
    func event(_ step: ReportedStep?) -> RunEvent {
      RunEvent(
        run: RunIdentity(seed: 0, plan: Plan(steps: [])), device: "Lock-1", attempt: 1,
        offset: .zero, wallClock: .zero, change: .remark(.pairingDisplay(step, .passkey(42)))
      )
    }
    #expect(TextReport().lines(for: event(placed)) == ["1  pair  type 000042 on the device"])
    #expect(TextReport().lines(for: event(nil)) == ["-  pairing  type 000042 on the device"])
    let json = JSONLinesReport().lines(for: event(placed))
    let tail = #""step":"1","operation":"pair","show":"passkey","value":"000042"}"#
    #expect(json.first?.hasSuffix(tail) == true)
  }

  // MARK: Secrets

  @Test("secrets are read before the run, and no description of the plan shows them")
  func secrets() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("passkey", "271828\n")
    let line = "repeat 1 { pair passkey file:'\(file)' }"
    let plan = try Plan.parse(line: line).withSecrets()
    guard case .pair(let pair) = plan.steps[0].innerSteps[0].action else {
      Issue.record("no pair step")
      return
    }
    #expect(pair.rule.secret?.secret?.passkey == 271_828)
    var dumped = ""
    dump(plan, to: &dumped)
    for text in ["\(plan)", dumped, String(reflecting: plan)] {
      #expect(!text.contains("271828"))
    }
  }

  @Test("a missing secret fails the run before the device is accessed")
  func missing() throws {
    let plan = try Plan.parse(line: "pair passkey env:BLERUN_NO_SUCH_VARIABLE")
    #expect(throws: Problem("the environment variable BLERUN_NO_SUCH_VARIABLE is not set")) {
      try plan.withSecrets()
    }
    _ = bench.run(plan)
    #expect(bench.ending?.failure?.code == .secretMissing)
  }

  @Test("a passkey written in the file is used, reported as such, and masked")
  func written() throws {
    let plan = try Plan.parse(
      """
      pairing: { passkey: 314159 }
      steps: [ { repeat: 1, steps: [ { pair: { passkey: "042137" } } ] } ]
      """,
      file: "chain.yaml"
    )
    #expect(plan.writtenSecrets == ["pairing", "step 1.1"])
    #expect(!"\(plan)".contains("314159"))
    #expect(!"\(plan)".contains("042137"))
    _ = bench.run(plan)
    #expect(bench.device.calls.contains("pair keyboard-only"))
  }
}

// Steps that must fail, steps that are retried, and steps after whose failure the run continues.

import Bluetooth
import Documents
import Foundation
import Testing

@testable import Jobs

@Suite("Steps that fail")
struct ExpectedFailureTests {
  let bench = RunBench()

  static func refused(_ att: ATTErrorCode?, _ failure: FailureClass = .definite) -> DeviceFailure {
    DeviceFailure(
      code: failure == .definite ? .refused : .linkLost, class: failure,
      operation: "writing alert-level", device: "'Thermo-1'", att: att,
      meaning: "the device refused", hint: ""
    )
  }

  func run(writing answer: ScriptedDevice.Answer, _ expected: String) throws -> RunFailure? {
    bench.device.answer("write alert-level", answer)
    try bench.run("write alert-level u8:9 expect error \(expected); read battery-level")
    return bench.ending?.failure
  }

  // MARK: Failures that are expected

  @Test(
    "a step that fails as expected is ok: by code, by class or by the ATT error",
    arguments: [
      "= refused", "= definite", "= value-not-allowed", "= 0x13", "= 19", "= any",
      "in busy,refused", "in 0x80,value-not-allowed",
    ]
  )
  func asExpected(expected: String) throws {
    let failure = Self.refused(.valueNotAllowed)
    #expect(try run(writing: .failure(failure), expected) == nil)
    #expect(bench.ending?.status == .ok && bench.ending?.done == 2)
    #expect(bench.text().dropFirst().first == "1  write alert-level u8:9  failed, as expected")
    let step = bench.endings.first { $0.step.operation == "write" }
    #expect(step?.status == .ok && step?.failure?.code == .refused)
  }

  @Test("a step that succeeds although it must fail fails the chain")
  func succeeded() throws {
    let failure = try run(writing: .value([]), "= refused")
    #expect(failure?.code == .expectationNotMet)
    #expect(failure?.why == "expected error = refused, got success")
    #expect(!bench.device.calls.contains("read battery-level"))
  }

  @Test("a different failure keeps its code and class, and its message states the expected one")
  func another() throws {
    let failure = try run(writing: .failure(Self.refused(nil, .passing)), "= value-not-allowed")
    #expect(failure?.code == .linkLost && failure?.class == .passing)
    #expect(failure?.why == "the device refused, where the chain expects error = value-not-allowed")
  }

  @Test("a deadline that cancels the run does not count as the expected failure")
  func notOfTheDevice() throws {
    bench.device.answer("write alert-level", .silence)
    let plan = try Plan.parse(line: "write alert-level u8:9 within 1h expect error = any")
    let error = bench.run(plan, within: .seconds(5))
    #expect(error != nil)
    #expect(bench.ending?.status != .ok)
  }

  @Test(
    "every step that uses the connection can be expected to fail",
    arguments: [
      "connect", "disconnect", "pair", "unpair", "trust yes", "services", "mtu", "rssi",
      "read battery-level", "write alert-level u8:1", "notify 2a37 until 1x",
      "exchange ff01 u8:1", "read-descriptor battery-level/2901",
      "write-descriptor battery-level/2901 u8:1",
    ]
  )
  func everyStep(step: String) throws {
    let line = "\(step) expect error in busy,0x80"
    let plan = try Plan.parse(line: line)
    #expect("\(plan.steps[0].expected)".contains("busy"))
    #expect(try Plan.parse(line: plan.steps[0].description) == plan)
  }

  @Test("in Swift, failure names are checked where they are written")
  func swift() throws {
    let step = try Step.write("alert-level", "u8:9").failing(with: "busy", "0x13")
    #expect(step.description == "write alert-level u8:9 expect error in busy,value-not-allowed")
    #expect(throws: Problem.self) { try Step.write("alert-level", "u8:9").failing(with: "no") }
    #expect(throws: Problem.self) { try Step.sleep(.seconds(1)).failing(with: "any") }
  }

  @Test(
    "an unknown failure name is rejected with the one to write instead",
    arguments: [
      ("insufficient-authorization", "not-permitted"), ("0x08", "not-permitted"),
      ("8", "not-permitted"), ("request-not-supported", "not-supported"),
      ("0x0d", "invalid-value"), ("encryption-key-too-short", "not-paired"),
      ("insufficient-encryption", "not-paired"),
    ]
  )
  func neverReported(_ name: String, _ instead: String) throws {
    for line in ["= \(name)", "in busy,\(name)"] {
      let error = #expect(throws: DocumentErrors.self) {
        try Plan.parse(line: "write alert-level u8:9 expect error \(line)")
      }
      let problem = try #require(error?.problems.first)
      #expect(problem.expected == instead)
      #expect(problem.message.contains("bluetoothd does not report its number"), "\(problem)")
    }
    #expect(throws: Problem.self) { try Step.write("alert-level", "u8:9").failing(with: name) }
    #expect(!ExpectedFailure.Name.all.contains(name))
  }

  @Test("the hint for an access refused without an ATT error says that the device may be locked")
  func locked() {
    let failure = DeviceFailure(
      code: .notPermitted, class: .definite, operation: "writing fff1", attribute: "fff1",
      bluez: BlueZAnswer(name: "org.bluez.Error.NotAuthorized", text: "Operation Not Authorized"),
      meaning: "the device refuses the access", hint: "pair with the device"
    )
    let hint = "unlock a device that is locked first, as its documentation describes; else pair"
    #expect(RunFailure(failure).hint == hint + " with the device")
  }

  // MARK: Hints that fit the chain

  @Test(
    "a failure in a chain that refuses pairing does not suggest pairing",
    arguments: [
      ("", false), ("pairing: { confirm: true }\n", false),
      ("pairing: { just-works: false }\n", true),
      ("pairing: { just-works: false, confirm: true }\n", false),
    ]
  )
  func pairingRefused(_ head: String, _ isNamed: Bool) throws {
    let failure = DeviceFailure(
      code: .notPaired, class: .definite, operation: "reading battery-level",
      meaning: "the device requires pairing", hint: "pair with it first: \(.pair)"
    )
    bench.device.answer("read battery-level", .failure(failure))
    try bench.run(file: "\(head)steps: [ { read: battery-level } ]")
    let hint = try #require(bench.ending?.failure?.hint)
    #expect(hint.contains("'just-works: false'") == isNamed, "\(hint)")
    #expect(hint.contains("blerun pair") != isNamed, "\(hint)")
    #expect(bench.endings.contains { $0.failure?.hint == hint })
  }

  @Test("the hint for a connect timeout says that the device may not accept connections")
  func beacon() throws {
    bench.device.answer("connect", .silence)
    try bench.run("read battery-level")
    #expect(bench.ending?.failure?.code == .timedOut)
    #expect(bench.ending?.failure?.hint.contains("such as a beacon") == true)
    bench.device.answer("read battery-level", .silence)
    let other = RunBench()
    other.device.answer("read battery-level", .silence)
    try other.run("read battery-level")
    #expect(other.ending?.failure?.hint.contains("beacon") == false)
  }

  // MARK: Further attempts

  @Test("a step is retried while its failure is transient, with a backoff that doubles")
  func tries() throws {
    let lost = DeviceFailure.scripted(.busy, .passing)
    bench.device.answer("read battery-level", .failure(lost), .failure(lost), .value([72]))
    try bench.run("read battery-level attempts 3 backoff 2s")
    #expect(
      bench.device.calls == [
        "connect", "read battery-level", "read battery-level at 2s", "read battery-level at 6s",
        "disconnect at 6s",
      ]
    )
    let tries = bench.endings.first { $0.step.position == StepPosition(1) }?.tries
    #expect(
      tries == [
        StepTry(began: .zero, took: .zero, why: "the link was lost"),
        StepTry(began: .seconds(2), took: .zero, why: "the link was lost"),
        StepTry(began: .seconds(6), took: .zero, why: nil),
      ]
    )
    #expect(
      bench.text().dropFirst().prefix(3) == [
        "1  read battery-level  72 %",
        "   note   try 1 of 3 failed: the link was lost",
        "   note   try 2 of 3 failed: the link was lost",
      ]
    )
  }

  @Test("neither a permanent nor an expected failure is retried")
  func noTries() throws {
    bench.device.answer("read battery-level", .failure(DeviceFailure.scripted(.refused, .definite)))
    try bench.run("read battery-level attempts 3")
    #expect(bench.device.calls.count(where: { $0.hasPrefix("read") }) == 1)
    bench.device.forgetCalls()
    bench.device.answer("read battery-level", .failure(DeviceFailure.scripted(.busy, .passing)))
    try bench.run("read battery-level attempts 3 expect error = busy")
    #expect(bench.device.calls.count(where: { $0.hasPrefix("read") }) == 1)
    #expect(bench.ending?.status == .ok)
  }

  @Test("the reasons of earlier attempts are listed if they differ from the last one")
  func earlierReasons() throws {
    let lost = ScriptedDevice.Answer.failure(DeviceFailure.scripted(.linkLost, .passing))
    let refused = ScriptedDevice.Answer.failure(DeviceFailure.scripted(.refused, .definite))
    for (last, isNamed) in [(refused, true), (lost, false)] {
      let bench = RunBench()
      bench.device.answer("read battery-level", lost, lost, last)
      var plan = try Plan.parse(line: "read battery-level")
      plan.retry = RetryRule(attempts: 3, backoff: .seconds(1))
      bench.run(plan)
      let runs = RunCollector.runs(of: bench.events)
      let line = "before reading battery-level on 'Thermo-1': the link was lost\n"
      let text = SummaryReport().text(on: runs)
      #expect(text.contains("     " + line) == isNamed, "\(text)")
      #expect(text.components(separatedBy: "     before ").count == (isNamed ? 2 : 1))
      let tap = TAPReport().text(on: runs)
      #expect(tap.contains("    # before: reading battery-level") == isNamed, "\(tap)")
    }
  }
  // MARK: Continuing

  @Test("on-failure: continue runs the remaining steps, and the run fails at its end")
  func goesOn() throws {
    bench.device.answer(
      "read manufacturer-name-string", .failure(DeviceFailure.scripted(.refused, .definite))
    )
    try bench.run(
      "read 2a29 on-failure continue; read battery-level; repeat 1 { read 2a29 } on-failure continue"
    )
    #expect(
      bench.story.suffix(6).filter { !$0.contains("…") } == [
        "3[1].1 read failed", "3 repeat failed", "disconnect disconnect ok", "run failed",
      ]
    )
    #expect(bench.ending?.step?.position == StepPosition(1))
    #expect(bench.ending?.failure?.code == .refused)
    #expect(bench.ending?.done == 1)
    #expect(bench.endings.count(where: { $0.failure != nil }) == 2)
  }

  @Test("on-failure: warn runs the remaining steps, and every report shows the warnings")
  func warns() throws {
    let failure = DeviceFailure.scripted(.busy, .passing)
    for _ in 1...2 { bench.device.answer("read manufacturer-name-string", .failure(failure)) }
    try bench.run(
      "read 2a29 attempts 2 on-failure warn; read battery-level expect percent > 90 as b on-failure warn; log '{b}'"
    )
    #expect(bench.ending?.status == .ok && bench.ending?.failure == nil)
    #expect(bench.ending?.warnings == 2 && bench.ending?.done == 3)
    let low = "expected percent > 90, got 72 % (bytes 48)"
    #expect(
      bench.text().filter { !$0.hasPrefix("-") }.dropLast() == [
        "1  read manufacturer-name-string  warning",
        "   note   try 1 of 2 failed: the link was lost", "   note   the link was lost",
        "2  read battery-level  warning (72 %)", "   note   \(low)", "3  log  72 %",
      ]
    )
    #expect(bench.text().last?.hasSuffix(", 2 warnings") == true)
    let lines = bench.json()
    #expect(lines.count { $0.contains(#""status":"warning""#) } == 2)
    #expect(lines.last?.hasSuffix(#""status":"ok","exitStatus":0,"warnings":2}"#) == true)
    var reader = EventLines()
    let read = try lines.compactMap { try reader.event(in: $0) }
    #expect(read.last.map { JSONLinesReport().lines(for: $0) } == Array(lines.suffix(1)))
    let runs = RunCollector.runs(of: bench.events)
    let reports: [any RunsReport] = [TAPReport(), JUnitReport(), HTMLReport()]
    for report in reports {
      let text = report.text(on: runs)
      #expect(text.contains("warning: the link was lost") && !text.contains("not ok"), "\(text)")
      #expect(!text.contains("warning: try"), "\(text)")
    }
    let totals = SummaryReport().text(on: runs).prefix { $0 != "\n" }
    #expect(totals == "1 device: 1 ok, 2 warnings")
    let files = FilesSummary(runs, notRun: [])
    #expect(files.lines == ["1 passed, 2 warnings"])
    #expect(files.json(.ok).hasSuffix(#""passed":1,"failed":0,"notRun":0,"warnings":2}"#))
  }

  @Test("on-failure: warn applies neither to failures of this host nor to steps with inner steps")
  func warnsNot() throws {
    let failure = DeviceFailure.scripted(.adapterOff, .unavailable)
    bench.device.answer("read manufacturer-name-string", .failure(failure))
    try bench.run("read 2a29 on-failure warn; read battery-level")
    #expect(bench.ending?.status == .failed && bench.ending?.failure?.code == .adapterOff)
    let step = Step.repeated(2) { Step.sleep(.seconds(1)) }.warningOnFailure()
    #expect(throws: (any Error).self) { try Plan { step } }
  }

  @Test("a chain is retried after a transient failure that on-failure: continue passed over")
  func continuedAfterAndTried() throws {
    bench.device.answer(
      "read battery-level",
      .failure(DeviceFailure.scripted(.busy, .passing)),
      .value([72])
    )
    var plan = try Plan.parse(line: "read battery-level on-failure continue")
    plan.retry = RetryRule(attempts: 2, backoff: .seconds(1))
    #expect(bench.run(plan) == nil)
    #expect(bench.ending?.status == .ok)
  }

  // MARK: Names, else, index

  @Test("text and JSON show the name of a step")
  func names() throws {
    try bench.run(file: "steps: [ { read: battery-level, name: Charge } ]")
    #expect(bench.text().contains("1  Charge  read battery-level  72 %"))
    #expect(bench.json().contains { $0.contains("\"step\":\"1\",\"name\":\"Charge\"") })
    bench.device.answer("read battery-level", .failure(DeviceFailure.scripted(.refused, .definite)))
    try bench.run("read battery-level name Charge")
    #expect(bench.ending?.step?.place == "step 1 'Charge'")
  }

  @Test("else runs when the condition does not hold", arguments: [(72, false), (20, true)])
  func otherwise(percent: Int, isLow: Bool) throws {
    bench.device.answer("read battery-level", .value([UInt8(percent)]))
    let line = "read battery-level as b; when b.percent > 50 { log full } else { log low }"
    try bench.run(line)
    #expect(bench.text().contains("2.else.1  log  low") == isLow)
    #expect(bench.text().contains("2.1  log  full") == !isLow)
    #expect(bench.endings.contains { $0.step.operation == "when" && $0.status == .ok })
    let plan = try Plan.parse(line: line)
    #expect(plan.lines.suffix(3).first?.hasSuffix("else") == true)
  }

  @Test("the steps of a repeat may use the number of the repetition")
  func index() throws {
    try bench.run("repeat 2 { log \"turn {i}\"; write alert-level u8:{i} } index i")
    #expect(bench.text().contains("1[2].1  log  turn 2"))
    #expect(bench.device.calls.contains("write alert-level 02"))
    let plan = try Plan { try Step.repeated(2, index: "i") { try Step.log("turn {i}") } }
    #expect(plan.steps[0].description == "repeat 2 index i")
    #expect(throws: Problem.self) {
      try Plan { try Step.repeated(2) { try Step.log("turn {i}") } }
    }
  }

  @Test("a device may also be given as plain text")
  func plainDevice() throws {
    let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
    for (text, target) in [
      ("\"Thermo*\"", DeviceTarget.name("Thermo*")), ("C0:FF:EE:00:00:01", .address(address)),
    ] {
      let plan = try Plan.parse("device: \(text)\nsteps: [ connect ]", file: "c")
      #expect(plan.device == target)
    }
  }
}

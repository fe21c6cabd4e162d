// Events of unusual runs: very long ones, strange ones, and some with a clock that runs backwards.

import Bluetooth
import Documents

@testable import Jobs
@testable import Reports

/// Writes the events of one run, each at a second of its own.
struct PageEvents {
  private(set) var events: [RunEvent] = []
  private let identity: RunIdentity
  private let device: String
  private let steps: [PlacedStep]
  var attempt = 1

  /// - Parameter line: The steps, in the one-line form.
  init(_ device: String, _ line: String, chain: String? = nil) throws {
    let plan = try Plan.parse(line: line)
    identity = RunIdentity(seed: 1, plan: plan)
    steps = plan.placedSteps
    self.device = device
    add(0, .run(.started(RunStart(chain: chain, steps: steps.count, seed: 1))))
  }

  /// The start of every run, since 1970-01-01T00:00:00Z.
  static let start = Duration.seconds(1_000)

  mutating func add(_ second: Double, _ change: RunEvent.Change) {
    let offset = Duration.microseconds(second * 1e6)
    events.append(
      RunEvent(
        run: identity, device: device, attempt: attempt, offset: offset,
        wallClock: Self.start + offset, change: change
      )
    )
  }

  /// The step at an index in the plan; index 0 is the connect.
  func step(_ index: Int, at position: StepPosition? = nil) -> ReportedStep {
    guard let position else { return steps[index].reported }
    return PlacedStep(position, steps[index].step).reported
  }

  /// A step that ended at a second.
  mutating func end(
    _ second: Double, _ step: ReportedStep, _ status: StepResult.Status = .ok,
    _ outcome: StepOutcome? = nil, failure: RunFailure? = nil, tries: [StepTry] = [],
    took: Double = 0.01
  ) {
    let result = StepResult(
      step, status: status, outcome: outcome, failure: failure, tries: tries,
      took: .microseconds(took * 1e6)
    )
    add(second, .step(.finished(result)))
  }

  /// A number that a step received.
  mutating func value(_ second: Double, _ step: ReportedStep, _ number: Double) {
    let value = StepValue(octets: [1], decoded: .real(number, decimals: 2))
    add(second, .data(step, .value(value)))
  }

  mutating func finish(_ second: Double, _ failure: RunFailure? = nil, _ step: ReportedStep? = nil)
  {
    let status: RunEnding.Status = failure == nil ? .ok : .failed
    add(second, .run(.finished(RunEnding(status: status, failure: failure, step: step, done: 0))))
  }

  static func failure(_ why: String = "the device refused") -> RunFailure {
    RunFailure(code: .refused, class: .definite, what: "writing alert-level", why: why)
  }

  /// The page of runs.
  static func page(_ runs: [PageEvents], of whole: CommandRecord? = nil) -> String {
    let recorded = RunCollector.runs(of: runs.flatMap(\.events), in: whole, keepsValues: true)
    return HTMLReport().text(on: recorded, of: whole)
  }
}

extension PageEvents {
  /// A run of so many inner steps, the last one of which fails.
  static func long(_ count: Int, on device: String = "Long") throws -> PageEvents {
    var run = try PageEvents(device, "read battery-level; log \"on\"", chain: "Long")
    run.end(0.2, run.step(0), .ok, .linked(.made), took: 0.2)
    for turn in 1...max(1, count / 2) {
      let inside = StepPosition(1).repetition(turn)
      let value = StepValue(octets: [72], decoded: .integer(72))
      run.end(Double(turn), run.step(1, at: inside.inner(1)), .ok, .value(value), took: 0.015)
      run.end(Double(turn) + 0.5, run.step(2, at: inside.inner(2)), .ok, .logged("on"), took: 0.4)
    }
    let end = Double(count / 2 + 1)
    run.end(end, run.step(1, at: StepPosition(2)), .failed, failure: failure())
    run.finish(end, failure(), run.step(1, at: StepPosition(2)))
    return run
  }

  /// A run that received so many values.
  static func values(_ count: Int) throws -> PageEvents {
    var run = try PageEvents("Fast", "notify battery-level for 1h", chain: "Fast")
    run.end(0.2, run.step(0), .ok, .linked(.made), took: 0.2)
    for number in 0..<count {
      // Each is within a wave, except one peak.
      let wave = Double((number * 37) % 200)
      run.value(1 + Double(number) / 100, run.step(1), number == count / 2 ? 999 : wave)
    }
    let end = 1 + Double(count) / 100
    run.end(end, run.step(1), .ok, .listened(count: count, rate: 100), took: end - 1)
    run.finish(end)
    return run
  }

  /// Runs with less, or with something else, than a page expects.
  static func odd() throws -> [PageEvents] {
    var empty = try PageEvents("No steps", "read battery-level")
    empty.finish(0)
    var runs = [empty]
    let series: [(String, [(Double, Double)])] = [
      ("One value", [(1, 7)]), ("Equal values", [(1, 7), (2, 7), (3, 7)]),
      ("No numbers", [(1, .nan), (2, .infinity), (3, -.infinity)]),
      ("Some numbers", [(1, .nan), (2, 3), (3, .infinity), (4, 5)]),
      (
        "Extreme",
        [
          (1, -.greatestFiniteMagnitude), (2, .greatestFiniteMagnitude),
          (3, .leastNonzeroMagnitude),
        ]
      ),
      ("Clock back", [(5, 1), (6, 2), (3, 3), (4, 4), (9, 5)]),
      ("At once", [(0, 1), (0, 2), (0, 3)]),
    ]
    for (name, values) in series {
      var run = try PageEvents(name, "notify battery-level for 9s")
      run.end(0, run.step(0), .ok, .linked(.made), took: 0)
      for (second, number) in values { run.value(second, run.step(1), number) }
      let last = values[values.count - 1].0
      run.end(last, run.step(1), .ok, .listened(count: values.count, rate: 1), took: last)
      run.finish(name == "Clock back" ? 2 : last)
      runs.append(run)
    }
    var unfinished = try PageEvents("Unfinished", "read battery-level; notify battery-level for 9s")
    unfinished.add(0, .step(.started(unfinished.step(0))))
    unfinished.end(1, unfinished.step(0), .ok, .linked(.made), took: 1)
    unfinished.add(1, .step(.started(unfinished.step(2))))
    unfinished.value(4, unfinished.step(2), 3)
    runs.append(unfinished)
    return runs
  }

  /// Names that are markup, control the text around them, or never end.
  static let hostileNames = [
    "</noscript><img src=x onerror=\"document.title='owned'\">",
    "</script><script>document.title='owned'</script>", "<b id=\"r1s3\">bold</b>",
    "\u{202e}evil\u{2066}\u{200f}", "a\u{0}\u{1b}[2J\u{85}\n\u{2028}", "&lt;img&gt; ]]>--><!--",
    String(repeating: "W", count: 10_000), String(repeating: "🧲\u{301}", count: 5_000),
  ]

  /// Runs in which everything from outside has such a name: devices, chains, steps, values, notes,
  /// messages, packets, answers and errors; some are folded.
  static func hostile() throws -> [PageEvents] {
    try hostileNames.map { name in
      let quoted = JSONValue.string(name).text
      let steps = "steps: [ { log: \(quoted), name: \(quoted) } ]"
      let plan = try Plan.parse(steps, file: "chain.yaml")
      var run = try PageEvents(name, "log a", chain: name)
      run.end(0.2, run.step(0), .ok, .linked(.made), took: 0.2)
      for turn in 1...PageMarkup.rowLimit + 100 {
        let placed = PlacedStep(StepPosition(1).repetition(turn).inner(1), plan.steps[0])
        run.end(Double(turn) / 100, placed.reported, .ok, .logged(name))
      }
      run.add(4, .remark(.note(name)))
      var failure = failure(name)
      failure.messages = [message(1, name), message(2, name)]
      failure.trace = TraceSlice(
        file: name, packets: 1...1, times: start...start,
        last: [TracePacket(number: 1, time: start, text: name)]
      )
      let last = PlacedStep(StepPosition(2), plan.steps[0]).reported
      run.end(5, last, .failed, failure: failure)
      run.finish(5, failure, last)
      return run
    }
  }

  private static func message(_ number: Int, _ name: String) -> BlueZMessage {
    BlueZMessage(
      number % 2 == 0 ? .error : .call, at: start + .milliseconds(number), number: (number + 1) / 2,
      object: name, interface: name, member: name, error: number % 2 == 0 ? name : nil,
      arguments: name
    )
  }
}

// JUnit XML, for CI servers.

import Bluetooth
import Documents

/// One suite for each device or test, one case for each step of its last try.
///
/// An expectation that was not met is a `failure`; every other failure is an `error`. A device that
/// did not run is a suite with one `skipped` case. A failure outside the devices is an `error` in a
/// separate suite. A `when` whose condition did not hold is `skipped`. The failures of earlier
/// tries are in the `system-out` of the suite.
///
/// - Source: `junit-10.xsd` of the Jenkins xUnit plug-in, and Apache Ant's format before it. The
///   `file` and `line` of a case that failed are GitLab's and pytest's: that schema has none.
public struct JUnitReport: RunsReport {
  /// A report without settings.
  ///
  /// ```swift
  /// let xml = JUnitReport().text(on: [try await plan.run(on: sensor)])
  /// ```
  public init() {}

  public func text(on runs: [RecordedRun], of whole: RecordedWhole?) -> String {
    let suites = runs.map { Suite($0) } + (whole.map { Suite.beside(runs, $0) } ?? [])
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    let total: [(String, String)] = [
      ("name", whole?.name ?? runs.first?.start.chain ?? "blerun"),
      ("tests", "\(suites.reduce(0) { $0 + $1.cases.count })"),
      ("failures", "\(suites.reduce(0) { $0 + $1.count(of: .failure) })"),
      ("errors", "\(suites.reduce(0) { $0 + $1.count(of: .error) })"),
      ("time", TextReport.milliseconds(runs.reduce(.zero) { $0 + ($1.took ?? .zero) })),
    ]
    lines.append("<testsuites\(Markup.attributes(total))>")
    for suite in suites { lines += suite.lines }
    lines.append("</testsuites>")
    return lines.joined(separator: "\n") + "\n"
  }
}

/// The suite of a device.
private struct Suite {
  private let label: String
  private let took: Duration
  private let at: Duration?
  private let id: String?
  private let properties: [(String, String)]
  private let output: [String]?
  let cases: [Case]

  init(_ run: RecordedRun) {
    label = run.label
    took = run.took ?? .zero
    at = run.startedAt
    id = run.run.description
    properties =
      [
        ("device", run.device)
      ] + (run.deviceName.map { [("name", $0)] } ?? []) + [
        ("run", run.run.description), ("seed", "\(run.start.seed)"),
        ("attempts", "\(run.attempt)"), ("status", run.ending?.status.rawValue ?? "unfinished"),
      ]
    output = Self.output(of: run)
    let suite = "\(run.start.chain ?? (run.kind == .test ? "suite" : "chain")).\(run.label)"
    var cases = run.cases.map { Case($0, in: suite) }
    if let failure = run.failureBetweenSteps { cases.append(Case(failure, in: suite)) }
    self.cases = cases
  }

  /// A suite with one case, for results outside the runs.
  private init(_ label: String, _ case: Case, _ status: String, of whole: RecordedWhole) {
    self.label = label
    took = .zero
    at = whole.endedAt
    id = whole.identity?.description
    let isDevice = `case`.verdict == .skipped
    properties = (isDevice ? [("device", label)] : []) + [("status", status)]
    output = nil
    cases = [`case`]
  }

  /// The suites of devices that did not run, and of a failure outside the runs.
  static func beside(_ runs: [RecordedRun], _ whole: RecordedWhole) -> [Suite] {
    let chain = runs.first?.start.chain ?? "chain"
    let skipped = whole.notRun.map { label in
      Suite(label, Case(skipped: whole.whyNotRun, in: "\(chain).\(label)"), "not-run", of: whole)
    }
    guard let failure = whole.failure else { return skipped }
    let label = whole.name ?? whole.kind.rawValue
    return skipped + [
      Suite(label, Case(failure, in: label, named: whole.title), "failed", of: whole)
    ]
  }

  func count(of verdict: Case.Verdict) -> Int { cases.count { $0.verdict == verdict } }

  var lines: [String] {
    let attributes: [(String, String)] = [
      ("name", label),
      ("tests", "\(cases.count)"),
      ("failures", "\(count(of: .failure))"),
      ("errors", "\(count(of: .error))"),
      ("skipped", "\(count(of: .skipped))"),
      ("time", TextReport.milliseconds(took)),
    ]
    let known = [("timestamp", at.map { String(Timestamp.text($0).prefix(19)) }), ("id", id)]
      .compactMap { name, value in value.map { (name, $0) } }
    let list = properties.map {
      "      <property\(Markup.attributes([("name", $0), ("value", $1)]))/>"
    }
    return ["  <testsuite\(Markup.attributes(attributes + known))>", "    <properties>"] + list
      + ["    </properties>"] + cases.flatMap(\.lines)
      + (output.map { ["    <system-out>\(Markup.escaped(lines: $0))</system-out>"] } ?? [])
      + ["  </testsuite>"]
  }

  /// The run as text for people.
  private static func output(of run: RecordedRun) -> [String] {
    let earlier = run.earlierFailures.enumerated().map { "attempt \($0 + 1) failed: \($1)" }
    let leftOut = run.leftOut == 0 ? [] : ["\(run.leftOut) more steps succeeded"]
    return earlier + run.steps.flatMap(\.lines) + leftOut
  }
}

/// The case of a step.
private struct Case {
  enum Verdict: Hashable {
    case passed, skipped, failure, error
  }

  let name: String
  let suite: String
  let took: Duration
  let verdict: Verdict
  let failure: RunFailure?
  let skipped: String?

  init(_ step: RecordedRun.Step, in suite: String) {
    self.suite = suite
    name = step.title
    took = step.took
    failure = step.failure
    skipped = step.skipped
    switch step.status {
    case .ok, .warning: verdict = .passed
    case .skipped: verdict = .skipped
    case .failed, .cancelled:
      verdict = failure?.code == .expectationNotMet ? .failure : .error
    }
  }

  init(_ failure: RunFailure, in suite: String, named name: String = "the run") {
    self.suite = suite
    self.name = name
    took = .zero
    skipped = nil
    verdict = .error
    self.failure = failure
  }

  /// A case that was not run.
  init(skipped reason: String, in suite: String) {
    self.suite = suite
    name = "the run"
    took = .zero
    verdict = .skipped
    failure = nil
    skipped = reason
  }

  var lines: [String] {
    let place = failure?.source.map { [("file", $0.file), ("line", "\($0.line)")] } ?? []
    let attributes = Markup.attributes(
      [("name", name), ("classname", suite), ("time", TextReport.milliseconds(took))] + place
    )
    switch verdict {
    case .passed: return ["    <testcase\(attributes)/>"]
    case .skipped:
      let reason = Markup.attributes([("message", skipped ?? "")])
      return ["    <testcase\(attributes)>", "      <skipped\(reason)/>", "    </testcase>"]
    case .failure, .error:
      let element = verdict == .failure ? "failure" : "error"
      let reasons = failure.map { failure in
        TextReport.reasons(failure).map { String($0.dropFirst(3)) }
      }
      let message = Markup.attributes([
        ("message", failure?.message ?? "a step inside it failed"),
        ("type", failure?.code.rawValue ?? "inner-step"),
      ])
      let text = Markup.escaped(lines: reasons ?? [])
      return [
        "    <testcase\(attributes)>", "      <\(element)\(message)>\(text)</\(element)>",
        "    </testcase>",
      ]
    }
  }
}

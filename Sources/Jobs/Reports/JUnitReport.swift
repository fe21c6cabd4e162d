// JUnit's XML, which CI servers read.

import Bluetooth

/// One suite for each device or test, one case for each step of its last try.
///
/// An expectation that was not met is a `failure`; everything else that went wrong is an `error`.
/// What was skipped is `skipped`: a `when` whose condition did not hold. What earlier tries failed with is in the
/// suite's `system-out`.
///
/// - Source: `junit-10.xsd` of the Jenkins xUnit plug-in, and Apache Ant's format before it.
public struct JUnitReport: RunsReport {
  public init() {}

  public func text(on runs: [RecordedRun]) -> String {
    let suites = runs.map { Suite($0) }
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    let total: [(String, String)] = [
      ("name", runs.first?.start.chain ?? "blerun"),
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

/// A device's part.
private struct Suite {
  let run: RecordedRun
  let cases: [Case]

  init(_ run: RecordedRun) {
    self.run = run
    let suite = "\(run.start.chain ?? (run.kind == .test ? "suite" : "chain")).\(run.label)"
    var cases = run.steps.map { Case($0, in: suite) }
    if let failure = run.failureBetweenSteps { cases.append(Case(failure, in: suite)) }
    self.cases = cases
  }

  func count(of verdict: Case.Verdict) -> Int { cases.count { $0.verdict == verdict } }

  var lines: [String] {
    let attributes: [(String, String)] = [
      ("name", run.label),
      ("tests", "\(cases.count)"),
      ("failures", "\(count(of: .failure))"),
      ("errors", "\(count(of: .error))"),
      ("skipped", "\(count(of: .skipped))"),
      ("time", TextReport.milliseconds(run.took ?? .zero)),
      ("timestamp", String(Timestamp.text(run.startedAt).prefix(19))),
      ("id", run.run.description),
    ]
    let properties: [(String, String)] = [
      ("device", run.device), ("run", run.run.description), ("seed", "\(run.start.seed)"),
      ("attempts", "\(run.attempt)"), ("status", run.ending?.status.rawValue ?? "unfinished"),
    ]
    let list = properties.map {
      "      <property\(Markup.attributes([("name", $0), ("value", $1)]))/>"
    }
    return ["  <testsuite\(Markup.attributes(attributes))>", "    <properties>"] + list
      + ["    </properties>"] + cases.flatMap(\.lines)
      + ["    <system-out>\(Markup.escaped(output))</system-out>", "  </testsuite>"]
  }

  /// The run as a person reads it.
  private var output: String {
    let earlier = run.earlierFailures.enumerated().map { "attempt \($0 + 1) failed: \($1)" }
    let leftOut = run.leftOut == 0 ? [] : ["\(run.leftOut) more steps went well"]
    return (earlier + run.steps.flatMap(\.lines) + leftOut)
      .joined(separator: "\n")
  }
}

/// A step's part.
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
    case .ok: verdict = .passed
    case .skipped: verdict = .skipped
    case .failed, .cancelled:
      verdict = failure?.code == .expectationNotMet ? .failure : .error
    }
  }

  init(_ failure: RunFailure, in suite: String) {
    self.suite = suite
    name = "the run"
    took = .zero
    skipped = nil
    verdict = .error
    self.failure = failure
  }

  var lines: [String] {
    let attributes = Markup.attributes([
      ("name", name), ("classname", suite), ("time", TextReport.milliseconds(took)),
    ])
    switch verdict {
    case .passed: return ["    <testcase\(attributes)/>"]
    case .skipped:
      let reason = Markup.attributes([("message", skipped ?? "")])
      return ["    <testcase\(attributes)>", "      <skipped\(reason)/>", "    </testcase>"]
    case .failure, .error:
      let element = verdict == .failure ? "failure" : "error"
      let reasons = failure.map { failure in
        TextReport.reasons(failure).map { String($0.dropFirst(3)) }.joined(separator: "\n")
      }
      let told = Markup.attributes([
        ("message", failure?.message ?? "a step inside it failed"),
        ("type", failure?.code.rawValue ?? "inner-step"),
      ])
      let text = Markup.escaped(reasons ?? "")
      return [
        "    <testcase\(attributes)>", "      <\(element)\(told)>\(text)</\(element)>",
        "    </testcase>",
      ]
    }
  }
}

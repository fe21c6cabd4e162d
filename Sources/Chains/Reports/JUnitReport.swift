// Runs as JUnit XML, for CI servers.

import Bluetooth
import Documents
import RunEvents

/// A report with one suite for each device or test, and one case for each step of its last attempt.
///
/// An unmet expectation is a `failure`; every other failure is an `error`. A device that did not
/// run is a suite with one `skipped` case. A failure outside the devices is an `error` in a
/// separate suite. A `when` whose condition did not hold is `skipped`. The failures of earlier
/// attempts are in the `system-out` of the suite.
///
/// - Source: `junit-10.xsd` of the Jenkins xUnit plug-in, and Apache Ant's format before it. The
///   `file` and `line` of a failed case are GitLab's and pytest's: that schema has none.
public struct JUnitReport: RunsReport {
  public init() {}

  public func text(on runs: [RecordedRun], of whole: CommandRecord?) -> String {
    let suites = runs.map { Suite($0) } + (whole.map { Suite.beside(runs, $0) } ?? [])
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    let total: [(String, String?)] = [
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

/// The suite of a device, or of a result outside the runs.
private struct Suite {
  let label: String
  var took = Duration.zero
  let at: Duration?
  let id: String?
  let properties: [(String, String?)]
  var output: [String]?
  let cases: [Case]

  func count(of verdict: Case.Verdict) -> Int { cases.count { $0.verdict == verdict } }

  var lines: [String] {
    let attributes = Markup.attributes([
      ("name", label), ("tests", "\(cases.count)"), ("failures", "\(count(of: .failure))"),
      ("errors", "\(count(of: .error))"), ("skipped", "\(count(of: .skipped))"),
      ("time", TextReport.milliseconds(took)),
      ("timestamp", at.map { String(Timestamp.text($0).prefix(19)) }), ("id", id),
    ])
    let list = properties.compactMap { name, value in
      value.map { "      <property\(Markup.attributes([("name", name), ("value", $0)]))/>" }
    }
    return ["  <testsuite\(attributes)>", "    <properties>"] + list + ["    </properties>"]
      + cases.flatMap(\.lines)
      + (output.map { ["    <system-out>\(Markup.escaped(lines: $0))</system-out>"] } ?? [])
      + ["  </testsuite>"]
  }
}

extension Suite {
  init(_ run: RecordedRun) {
    let suite = "\(run.start.chain ?? (run.kind == .test ? "suite" : "chain")).\(run.label)"
    let earlier = run.earlierFailures.enumerated().map { "attempt \($0 + 1) failed: \($1)" }
    let leftOut = run.leftOut == 0 ? [] : ["\(run.leftOut) more steps succeeded"]
    self.init(
      label: run.label, took: run.took ?? .zero, at: run.startedAt, id: run.run.description,
      properties: [
        ("device", run.device), ("name", run.deviceName), ("run", run.run.description),
        ("seed", "\(run.start.seed)"), ("attempts", "\(run.attempt)"),
        ("status", run.ending?.status.rawValue ?? "unfinished"),
      ],
      output: earlier + run.steps.flatMap(\.lines) + leftOut,
      cases: run.cases.map { Case($0, in: suite) }
        + (run.failureBetweenSteps.map { [Case($0, in: suite)] } ?? [])
    )
  }

  /// The suites of devices that did not run, and of a failure outside the runs.
  static func beside(_ runs: [RecordedRun], _ whole: CommandRecord) -> [Suite] {
    func suite(_ label: String, _ properties: [(String, String?)], _ only: Case) -> Suite {
      let id = whole.identity?.description
      return Suite(label: label, at: whole.endedAt, id: id, properties: properties, cases: [only])
    }
    let chain = runs.first?.start.chain ?? "chain"
    let skipped = whole.notRun.map { label in
      let only = Case("the run", in: "\(chain).\(label)", .skipped, skipped: whole.whyNotRun)
      return suite(label, [("device", label), ("status", "not-run")], only)
    }
    let own = whole.failure.map { failure in
      let label = whole.name ?? whole.kind.rawValue
      return suite(label, [("status", "failed")], Case(failure, in: label, named: whole.title))
    }
    return skipped + [own].compactMap(\.self)
  }
}

private struct Case {
  enum Verdict: Hashable {
    case passed, skipped, failure, error
  }

  let name: String
  let suite: String
  let verdict: Verdict
  let took: Duration
  let failure: RunFailure?
  let skipped: String?

  init(
    _ name: String, in suite: String, _ verdict: Verdict, took: Duration = .zero,
    _ failure: RunFailure? = nil, skipped: String? = nil
  ) {
    self.name = name
    self.suite = suite
    self.verdict = verdict
    self.took = took
    self.failure = failure
    self.skipped = skipped
  }

  init(_ step: RecordedRun.Step, in suite: String) {
    let verdict: Verdict =
      switch step.status {
      case .ok, .warning: .passed
      case .skipped: .skipped
      case .failed, .cancelled:
        step.failure?.code == .expectationNotMet ? .failure : .error
      }
    self.init(step.title, in: suite, verdict, took: step.took, step.failure, skipped: step.skipped)
  }

  init(_ failure: RunFailure, in suite: String, named name: String = "the run") {
    self.init(name, in: suite, .error, failure)
  }

  var lines: [String] {
    let place = failure?.source
    let attributes = Markup.attributes([
      ("name", name), ("classname", suite), ("time", TextReport.milliseconds(took)),
      ("file", place?.file), ("line", place.map { "\($0.line)" }),
    ])
    func element(_ inside: String) -> [String] {
      ["    <testcase\(attributes)>", "      \(inside)", "    </testcase>"]
    }
    switch verdict {
    case .passed: return ["    <testcase\(attributes)/>"]
    case .skipped: return element("<skipped\(Markup.attributes([("message", skipped ?? "")]))/>")
    case .failure, .error:
      let name = verdict == .failure ? "failure" : "error"
      let message = Markup.attributes([
        ("message", failure?.message ?? "a step inside it failed"),
        ("type", failure?.code.rawValue ?? "inner-step"),
      ])
      let reasons = failure.map { TextReport.reasons($0).map { String($0.dropFirst(3)) } } ?? []
      return element("<\(name)\(message)>\(Markup.escaped(lines: reasons))</\(name)>")
    }
  }
}

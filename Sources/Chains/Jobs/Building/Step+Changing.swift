// Settings of a step in Swift: its capture, timeout, retries and expectations.

public import Documents

extension Step {
  /// Captures the value under a name for later steps.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").captured(as: "battery")
  ///   try Step.log("{battery.percent} percent are left")
  /// }
  /// ```
  public func captured(as name: String) -> Step { setting(\.capture, name) }

  /// Names the step in reports; the name does not change what the step does.
  ///
  /// ```swift
  /// let chain = try Plan { try Step.read("battery-level").named("the battery of the belt") }
  /// ```
  public func named(_ name: String) -> Step { setting(\.name, name) }

  /// Retries the step after transient failures, without reconnecting the device.
  ///
  /// The pause doubles with each attempt, up to 30 s. A permanent failure, such as an ATT error
  /// from the device, is not retried. A write may reach the device twice: retry it only if the
  /// device tolerates that.
  ///
  /// ```swift
  /// try Step.read("battery-level").attempts(3, backoff: .seconds(1))
  /// ```
  public func attempts(_ attempts: Int, backoff: Duration = .milliseconds(500)) -> Step {
    setting(\.retry, RetryRule(attempts: attempts, backoff: backoff))
  }

  /// Continues the run after a failure of the step; the run then fails at its end.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").expect("percent", .atLeast(20)).continuingOnFailure()
  ///   try Step.read("firmware-revision-string")  // also when the battery is low
  /// }
  /// ```
  public func continuingOnFailure() -> Step { setting(\.onFailure, .continue) }

  /// Turns a failure of the step into a warning; the run continues and may still succeed.
  ///
  /// A failure caused by this host still ends the run. A step with inner steps cannot warn; its
  /// inner steps can.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").expect("percent", .atLeast(20)).warningOnFailure()
  ///   try Step.read("firmware-revision-string")
  /// }
  /// ```
  public func warningOnFailure() -> Step { setting(\.onFailure, .warn) }

  /// Sets the timeout of the step, of each attempt if there are several.
  ///
  /// A step without its own timeout uses that of the chain.
  ///
  /// ```swift
  /// try Step.notify("heart-rate-measurement", count: 60).within(.seconds(90))
  /// ```
  public func within(_ limit: Duration) -> Step { setting(\.timeout, limit) }

  /// Adds an expectation about the value of the step.
  ///
  /// ```swift
  /// try Step.notify("heart-rate-measurement", for: .seconds(30))
  ///   .expect("bpm", .between(40, 200))
  ///   .expect("interval-p95", .shorter(than: .milliseconds(1200)))
  /// ```
  ///
  /// The subject is a field of the value, `value`, or a format; for many values also `count`,
  /// `rate`, `silence`, `interval-p95`, `latency-p95` and the like, and functions over all values,
  /// such as `sum(energy)`. Times are in ms: ``Check/shorter(than:)``.
  ///
  /// - Throws: `Problem` if the step's value does not have the subject.
  public func expect(
    _ subject: String, _ check: Check, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    let subject = try Problem.at(file, line) { try self.subject(subject) }
    let completed = (kind.subjects ?? .nothing).completed(check, of: subject)
    return setting(\.expectations, expectations + [Expectation(subject, completed)])
  }

  /// Expects the step to fail: it succeeds if it fails with one of `names`, and fails otherwise.
  ///
  /// ```swift
  /// try Step.write("alert-level", "u8:9").failing(with: "value-not-allowed")
  /// ```
  ///
  /// A name is a code such as `not-permitted`, a class such as `passing`, an ATT error from the
  /// device such as `value-not-allowed` or `0x80`, or `any`.
  ///
  /// - Throws: `Problem` for an unknown name, and for a step that does not access the device.
  public func failing(
    with names: String..., file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let known = try names.map { try ExpectedFailure.Name.read($0, shown: "'\($0)'") }
      let step = setting(\.expected, .failure(ExpectedFailure(known)))
      if let problem = step.problemWithExpectedFailure { throw problem }
      return step
    }
  }

  /// The problem of expecting this step to fail; nil if it is valid.
  var problemWithExpectedFailure: Problem? {
    guard case .failure(let failure) = expected else { return nil }
    if failure.names.isEmpty {
      return Problem("the failure has no name", expected: "'any', or names of failures")
    }
    return type(of: kind).common.contains { $0.name == "expect" }
      ? nil : Problem("'\(operation)' cannot be expected to fail")
  }

  /// Stops the step at the first value that passes the check.
  ///
  /// ```swift
  /// try Step.notify("battery-level").until("percent", .atLeast(80)).within(.seconds(3600))
  /// ```
  ///
  /// - Throws: `Problem` for a step with a single value, and for an unknown subject.
  public func until(
    _ subject: String, _ check: Check, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      guard var kind = kind as? any StreamingKind else {
        throw Problem("'\(operation)' has no stop condition")
      }
      kind.stop.conditions.append(Expectation(try self.subject(subject), check))
      return setting(\.action, kind.action)
    }
  }

  func setting<Value>(_ path: WritableKeyPath<Step, Value>, _ value: Value) -> Step {
    var step = self
    step[keyPath: path] = value
    return step
  }

  /// Finds the subject with a name in the value of the step.
  func subject(_ name: String) throws(Problem) -> Expectation.Subject {
    let subjects = kind.subjects ?? .nothing
    if let subject = subjects.subject(name) { return subject }
    throw subjects.problem(about: name)
  }
}

extension Check {
  /// A check for a time of at most `limit`.
  ///
  /// Times are compared in milliseconds: 200 ms is `.atMost(200)`.
  ///
  /// ```swift
  /// try Step.poll("battery-level", every: .seconds(1), count: 60)
  ///   .expect("latency-p95", .shorter(than: .milliseconds(200)))
  /// ```
  public static func shorter(than limit: Duration) -> Check { .atMost(Bound(limit.inMilliseconds)) }

  /// A check for a time of at least `limit`.
  ///
  /// ```swift
  /// try Step.notify("heart-rate-measurement", count: 30)
  ///   .expect("interval-p50", .longer(than: .milliseconds(300)))
  /// ```
  public static func longer(than limit: Duration) -> Check { .atLeast(Bound(limit.inMilliseconds)) }
}

extension Literal: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  public init(stringLiteral text: String) { self.init(text, isQuoted: true) }

  public init(integerLiteral number: Int) { self.init("\(number)") }
}

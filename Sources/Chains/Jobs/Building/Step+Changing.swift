// Settings of a step in Swift: its capture, its timeout, its expectations.

public import Documents

extension Step {
  /// The step, whose value later steps use under a name.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").captured(as: "battery")
  ///   try Step.log("{battery.percent} percent are left")
  /// }
  /// ```
  public func captured(as name: String) -> Step { setting(\.capture, name) }

  /// The step with a name for people.
  ///
  /// It is printed in reports, and does not change what the step does.
  ///
  /// ```swift
  /// let chain = try Plan { try Step.read("battery-level").named("the battery of the belt") }
  /// ```
  public func named(_ name: String) -> Step { setting(\.name, name) }

  /// The step, tried several times while it fails transiently. The connection is not made again.
  ///
  /// The wait doubles with each attempt, up to 30 s. A permanent failure, such as a refusal by the
  /// device, is not tried again. A write is: allow that only where the device tolerates the value
  /// twice.
  ///
  /// ```swift
  /// try Step.read("battery-level").attempts(3, backoff: .seconds(1))
  /// ```
  public func attempts(_ attempts: Int, backoff: Duration = .milliseconds(500)) -> Step {
    setting(\.retry, RetryRule(attempts: attempts, backoff: backoff))
  }

  /// The step, after whose failure the run goes on, and fails at its end.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").expect("percent", .atLeast(20)).continuingOnFailure()
  ///   try Step.read("firmware-revision-string")  // also when the battery is low
  /// }
  /// ```
  public func continuingOnFailure() -> Step { setting(\.onFailure, .continue) }

  /// The step, after whose failure the run goes on with a warning: it does not fail for it.
  ///
  /// A failure of this host still ends the run. A step with inner steps does not warn: they do.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").expect("percent", .atLeast(20)).warningOnFailure()
  ///   try Step.read("firmware-revision-string")
  /// }
  /// ```
  public func warningOnFailure() -> Step { setting(\.onFailure, .warn) }

  /// The step with its own timeout.
  ///
  /// Without it, the step has the timeout of its chain. With several attempts, it is the timeout of
  /// each.
  ///
  /// ```swift
  /// try Step.notify("heart-rate-measurement", count: 60).within(.seconds(90))
  /// ```
  public func within(_ limit: Duration) -> Step { setting(\.timeout, limit) }

  /// The step with an expectation about its value.
  ///
  /// ```swift
  /// try Step.notify("heart-rate-measurement", for: .seconds(30))
  ///   .expect("bpm", .between(40, 200))
  ///   .expect("interval-p95", .shorter(than: .milliseconds(1200)))
  /// ```
  ///
  /// The subject is a field of the value, `value`, a format, or for many values `count`, `rate`,
  /// `silence`, `interval-p95`, `latency-p95` and the like. Times are in ms: ``Check/shorter(than:)``.
  ///
  /// - Throws: `Problem` when the step's value does not have the subject.
  public func expect(
    _ subject: String, _ check: Check, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    let subject = try Problem.at(file, line) { try self.subject(subject) }
    return setting(\.expectations, expectations + [Expectation(subject, check)])
  }

  /// The step, which must fail: it is ok when it does, and fails when it does not.
  ///
  /// ```swift
  /// try Step.write("alert-level", "u8:9").failing(with: "value-not-allowed")
  /// ```
  ///
  /// Any of the failures is expected: codes such as `not-permitted`, classes such as `passing`, what the
  /// device answers such as `value-not-allowed` or `0x80`, or `any`.
  ///
  /// - Throws: `Problem` for an unknown name, and for a step that does nothing with the device.
  public func failing(
    with names: String..., file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let known = try names.map { try ExpectedFailure.Name.read($0, shown: "'\($0)'") }
      let step = setting(\.expected, .failure(ExpectedFailure(known)))
      if let complaint = step.complaintAboutFailing { throw complaint }
      return step
    }
  }

  /// The error in a failure that is expected of a step; nil without one.
  var complaintAboutFailing: Problem? {
    guard case .failure(let failure) = expected else { return nil }
    if failure.names.isEmpty {
      return Problem("the failure has no name", expected: "'any', or names of failures")
    }
    return type(of: kind).common.contains { $0.name == "expect" }
      ? nil : Problem("'\(operation)' cannot be expected to fail")
  }

  /// The step, which stops at the first value that passes the check.
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

  /// What an expectation may name of the value of the step.
  func subject(_ name: String) throws(Problem) -> Expectation.Subject {
    let subjects = kind.subjects ?? .nothing
    if let subject = subjects.subject(name) { return subject }
    throw subjects.complaint(about: name)
  }
}

extension Check {
  /// A time of at most `limit`.
  ///
  /// In milliseconds, as times are compared: `.atMost(200)` for 200 ms.
  ///
  /// ```swift
  /// try Step.poll("battery-level", every: .seconds(1), count: 60)
  ///   .expect("latency-p95", .shorter(than: .milliseconds(200)))
  /// ```
  public static func shorter(than limit: Duration) -> Check { .atMost(Bound(limit.inMilliseconds)) }

  /// A time of at least `limit`.
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

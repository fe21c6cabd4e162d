// Settings of a step in Swift: its capture, its timeout, its expectations.

extension Step {
  /// The step, whose value later steps use under a name.
  public func captured(as name: String) -> Step {
    var step = self
    step.capture = name
    return step
  }

  /// The step with a name for people.
  public func named(_ name: String) -> Step {
    var step = self
    step.name = name
    return step
  }

  /// The step, tried several times while it fails transiently. The connection is not made again.
  public func attempts(_ attempts: Int, backoff: Duration = .milliseconds(500)) -> Step {
    var step = self
    step.retry = RetryRule(attempts: attempts, backoff: backoff)
    return step
  }

  /// The step, after whose failure the run goes on, and fails at its end.
  public func continuingOnFailure() -> Step {
    var step = self
    step.onFailure = .continue
    return step
  }

  /// The step with its own timeout.
  public func within(_ limit: Duration) -> Step {
    var step = self
    step.timeout = limit
    return step
  }

  /// The step with an expectation about its value.
  ///
  /// - Parameters:
  ///   - subject: A field of the value, `value`, a format, or for many values `count`, `rate`,
  ///     `silence`, `interval-p95`, `latency-p95` and the like.
  ///   - check: What it must be; times are in ms, see ``Check/shorter(than:)``.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: ``PlanError`` when the step's value does not have the subject.
  public func expect(
    _ subject: String,
    _ check: Check,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    let subject = try PlanError.at(file, line) { try self.subject(subject) }
    var step = self
    step.expectations.append(Expectation(subject, check))
    return step
  }

  /// The step, which must fail: it is ok when it does, and fails when it does not.
  ///
  /// ```swift
  /// try Step.write("alert-level", "u8:9").failing(with: "value-not-allowed")
  /// ```
  ///
  /// - Parameters:
  ///   - names: The failures, any of which is expected: codes such as `not-permitted`, classes such as
  ///     `passing`, what the device answers such as `value-not-allowed` or `0x80`, or `any`.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: ``PlanError`` for an unknown name, and for a step that does nothing with the device.
  public func failing(
    with names: String...,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      var known: [ExpectedFailure.Name] = []
      for name in names {
        do {
          known.append(try ExpectedFailure.Name.read(name, shown: "'\(name)'"))
        } catch {
          throw PlanError(problem: "\(error)")
        }
      }
      var step = self
      step.expected = .failure(ExpectedFailure(known))
      if let complaint = step.complaintAboutFailing { throw PlanError(problem: "\(complaint)") }
      return step
    }
  }

  /// The error in a failure that is expected of a step; nil without one.
  var complaintAboutFailing: Complaint? {
    guard case .failure(let failure) = expected else { return nil }
    if failure.names.isEmpty {
      return Complaint("the failure has no name", expected: "'any', or names of failures")
    }
    let keys = type(of: kind).common
    return keys.contains(.expect) || keys.contains(.expectFailure)
      ? nil : Complaint("'\(operation)' cannot be expected to fail")
  }

  /// The step, which stops at the first value that passes the check.
  ///
  /// - Throws: ``PlanError`` for a step with a single value, and for an unknown subject.
  public func until(
    _ subject: String,
    _ check: Check,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      guard var kind = kind as? any StreamingKind else {
        throw PlanError(problem: "'\(operation)' has no stop condition")
      }
      kind.stop.conditions.append(Expectation(try self.subject(subject), check))
      var step = self
      step.action = kind.action
      return step
    }
  }

  /// The `exchange`, whose answer is the first notification that passes the check.
  ///
  /// - Throws: ``PlanError`` for any other step, and for an unknown subject.
  public func answered(
    _ subject: String,
    _ check: Check,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      guard case .exchange(var exchanging) = action else {
        throw PlanError(problem: "'\(operation)' has no answer")
      }
      exchanging.conditions.append(Expectation(try self.subject(subject), check))
      var step = self
      step.action = .exchange(exchanging)
      return step
    }
  }

  private func subject(_ name: String) throws(PlanError) -> Expectation.Subject {
    let subjects = kind.subjects ?? .nothing
    if let subject = subjects.subject(name) { return subject }
    throw PlanError(problem: "\(subjects.complaint(about: name))")
  }
}

extension Check {
  /// A time of at most `limit`.
  public static func shorter(than limit: Duration) -> Check { .atMost(limit.inMilliseconds) }

  /// A time of at least `limit`.
  public static func longer(than limit: Duration) -> Check { .atLeast(limit.inMilliseconds) }
}

extension Literal: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  public init(stringLiteral text: String) { self.init(text, isQuoted: true) }

  public init(integerLiteral number: Int) { self.init("\(number)") }
}

// What is said of a step in Swift: its name, its limit, what is expected of it.

extension Step {
  /// The step, whose value is kept under a name for later steps.
  public func captured(as name: String) -> Step {
    var step = self
    step.capture = name
    return step
  }

  /// The step with a limit of its own.
  public func within(_ limit: Duration) -> Step {
    var step = self
    step.timeout = limit
    return step
  }

  /// The step, with something expected of its value.
  ///
  /// - Parameters:
  ///   - subject: A field of the value, `value`, a format, or for many values `count`, `rate`,
  ///     `silence`, `interval-p95`, `latency-p95` and their like.
  ///   - check: What it has to be; times are in ms, see ``Check/shorter(than:)``.
  /// - Throws: ``PlanError`` when the step's value has nothing of that name.
  public func expect(_ subject: String, _ check: Check) throws(PlanError) -> Step {
    var step = self
    step.expectations.append(Expectation(try self.subject(subject), check))
    return step
  }

  /// The step, which has enough values with the first that is so.
  ///
  /// - Throws: ``PlanError`` when it takes but one value, or none of that name.
  public func until(_ subject: String, _ check: Check) throws(PlanError) -> Step {
    guard var kind = kind as? any StreamingKind else {
      throw PlanError(step: nil, problem: "'\(operation)' has no stop condition")
    }
    kind.enough.conditions.append(Expectation(try self.subject(subject), check))
    var step = self
    step.action = kind.action
    return step
  }

  /// The `exchange`, of which a notification is the answer only when it is so.
  ///
  /// - Throws: ``PlanError`` for any other step, and when the answer has nothing of that name.
  public func answered(_ subject: String, _ check: Check) throws(PlanError) -> Step {
    guard case .exchange(var exchanging) = action else {
      throw PlanError(step: nil, problem: "'\(operation)' has no answer")
    }
    exchanging.conditions.append(Expectation(try self.subject(subject), check))
    var step = self
    step.action = .exchange(exchanging)
    return step
  }

  private func subject(_ name: String) throws(PlanError) -> Expectation.Subject {
    let subjects = kind.subjects ?? .nothing
    if let subject = subjects.subject(name) { return subject }
    throw PlanError(step: nil, problem: "\(subjects.complaint(about: name))")
  }
}

extension Check {
  /// A time that is at most so long.
  public static func shorter(than limit: Duration) -> Check { .atMost(limit.inMilliseconds) }

  /// A time that is at least so long.
  public static func longer(than limit: Duration) -> Check { .atLeast(limit.inMilliseconds) }
}

extension Literal: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  public init(stringLiteral text: String) { self.init(text, isQuoted: true) }

  public init(integerLiteral number: Int) { self.init("\(number)") }
}

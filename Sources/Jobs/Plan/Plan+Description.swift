// A plan for people: what a dry run prints.

import Bluetooth

extension Plan: CustomStringConvertible {
  /// All of the plan in a canonical form: a head, then a line for each step with its place.
  ///
  /// Equal plans have equal descriptions, however they were written.
  public var description: String { lines.joined(separator: "\n") }

  /// ``description``, line by line. Control characters are shown, as in all that is printed.
  public var lines: [String] { written.map { TextReport.visible($0) } }

  private var written: [String] {
    var lines = ["chain     \(name ?? "(no name)")"]
    lines.append("device    \(device.map { "\($0)" } ?? "(not named)")")
    lines.append("timeout   \(timeout.written) a step")
    if retry.attempts > 1 {
      let wait = retry.backoff.written
      lines.append("retry     \(retry.attempts) attempts, \(wait) before the second")
    }
    if let pairing {
      lines.append("pairing   \(pairing.description.isEmpty ? "just works" : "\(pairing)")")
    }
    let services = expectedServices.map { AssignedNumbers.serviceIdentifier($0) ?? "\($0)" }
    if !services.isEmpty { lines.append("services  \(services.joined(separator: ", "))") }
    lines += link.lines
    lines.append("")
    for placed in placedSteps {
      lines +=
        placed.isImplied
        ? [Self.line("", "connect", depth: 0)] : Self.lines(of: [placed], depth: 0)
    }
    if disconnectsLast { lines.append(Self.line("", "disconnect", depth: 0)) }
    return lines
  }

  /// Whether the link is ended when all steps are done, without the chain saying so.
  private var disconnectsLast: Bool {
    let last = steps.last?.action
    return !onlyScans && last != .disconnect && last != .unpair && !link.isKept
  }

  private static func lines(of steps: [PlacedStep], depth: Int) -> [String] {
    steps.flatMap { placed in
      let own = line("\(placed.position)", placed.step.description, depth: depth)
      guard case .tried(let steps, let last) = placed.step.action else {
        return [own] + lines(of: placed.inner, depth: depth + 1)
      }
      let count = steps.count
      return [own] + lines(of: Array(placed.inner.prefix(count)), depth: depth + 1)
        + (last.isEmpty ? [] : [line("", "finally", depth: depth)])
        + lines(of: Array(placed.inner.dropFirst(count)), depth: depth + 1)
    }
  }

  private static func line(_ position: String, _ text: String, depth: Int) -> String {
    let padding = String(repeating: " ", count: max(1, 6 - position.count))
    return position + padding + String(repeating: "  ", count: depth) + text
  }
}

extension Step {
  /// The steps that lie in this one.
  public var innerSteps: [Step] {
    switch action {
    case .repeated(_, let steps), .when(_, let steps): steps
    case .tried(let steps, let last): steps + last
    default: []
    }
  }

  /// The step with something done to each of those that lie in it.
  func mappingInner<Failure: Error>(
    _ change: ([Step]) throws(Failure) -> [Step]
  ) throws(Failure) -> Step {
    var new = self
    switch action {
    case .repeated(let count, let steps): new.action = .repeated(count: count, try change(steps))
    case .when(let condition, let steps): new.action = .when(condition, try change(steps))
    case .tried(let steps, let last):
      new.action = .tried(try change(steps), finally: try change(last))
    default: break
    }
    return new
  }
}

extension PlacedStep {
  /// The steps that lie in this one, with their places.
  public var inner: [PlacedStep] {
    guard case .tried(let steps, let last) = step.action else {
      return StepPosition.place(step.innerSteps, inside: position)
    }
    return StepPosition.place(steps, inside: position)
      + StepPosition.place(last, inside: position.finally)
  }
}

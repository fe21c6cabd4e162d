// Events as text: one line for each step that ends.

import Bluetooth
package import Documents
public import RunEvents

/// A report with one line for each step that ends, for each notification, and for the run.
///
/// A failure has its reasons on separate lines. Times are those of the loop: simulated times in a
/// simulated run.
public struct TextReport: RunReport {
  public init() {}

  public func lines(for event: RunEvent) -> [String] {
    if let test = event.test { return lines(for: event, of: test) }
    return switch event.change {
    case .run(.started): []
    case .run(.groupStarted(let group)):
      group.title.map { ["\(group.kind)  \($0)".printable] } ?? []
    case .run(.groupFinished(let ending)): [Self.line(ending, event.offset)]
    case .step(.started(let step)):
      step.beginsAttempt && event.attempt > 1
        ? ["attempt \(event.attempt)\(step.attempts.map { " of \($0)" } ?? "")"] : []
    case .data(let step, .value(let value)):
      // Other values are on the line of the finished step.
      step.isStream ? [Self.line(step, Self.text(value), under: step.valueHeading)] : []
    case .data(_, .advertisement): []
    case .remark(.pairingDisplay(let step?, let display)): [Self.line(step, "\(display)")]
    case .remark(.pairingDisplay(nil, let display)): ["-  pairing  \(display)".printable]
    case .data(let step, .gap(let gap)): [Self.line(step, Self.text(gap), under: step.valueHeading)]
    case .remark(.note(let text)): ["-  note  \(text)".printable]
    case .step(.finished(let result)): Self.lines(result)
    case .run(.finished(let ending)):
      [Self.line(ending, event.offset, of: "step", at: ending.step?.place)]
    }
  }

  /// The line of a finished step, then one for each reason and each note.
  package static func lines(_ result: StepResult) -> [String] {
    let outcome = result.outcome.map { text($0) }
    var (ending, reasons) = (result.status.rawValue, [String]())
    switch result.status {
    case .ok:
      ending = result.failure == nil ? outcome ?? ending : "failed, as expected"
      if let failure = result.failure { reasons = ["   why    \(failure.why)"] }
    case .skipped: break
    case .warning, .failed, .cancelled:
      if let outcome, outcome != StepResult.Status.ok.rawValue { ending += " (\(outcome))" }
      if result.status != .warning { reasons = result.failure.map { Self.reasons($0) } ?? [] }
    }
    let notes = result.notes.map { "   note   \($0)" }
    return [line(result.step, ending)] + (reasons + notes).map(\.printable)
  }

  /// A line about a step: `3  read battery-level  72 %`.
  private static func line(_ step: ReportedStep, _ text: String, under heading: String? = nil)
    -> String
  {
    let position = step.position.isImplied ? "-" : step.position.description
    return "\(position)  \(heading ?? step.heading)  \(text)".printable
  }

  /// The outcome of a step, in short.
  ///
  /// ```swift
  /// for step in try await plan.run(on: sensor).steps {
  ///   print(step.title, step.outcome.map(TextReport.text) ?? "nothing")
  /// }
  /// ```
  public static func text(_ outcome: StepOutcome) -> String {
    switch outcome {
    case .linked(let origin, let candidates):
      let used = candidates.first.map { DeviceTitle.text("\($0.address)", name: $0.name) }
      let found: String? =
        switch origin {
        case .made: nil
        case .shared: "was connected before"
        case .found: "was connected before and stays so"
        }
      return (["ok"] + [used, found].compactMap(\.self)).joined(separator: ", ")
    case .left: return "ok, others still use the connection"
    case .value(let value): return text(value)
    case .written: return "ok"
    case .paired(.paired(isAuthenticated: true)): return "ok"
    case .paired(.paired(isAuthenticated: false)): return "paired, unauthenticated"
    case .paired(.already): return "ok, was paired before"
    case .listened(let count, let rate, let dropped):
      return text(count, rate: rate) + (dropped == 0 ? "" : ", \(dropped) dropped")
    case .polled(let count, let rate, let latencies):
      let values = text(count, rate: rate)
      guard let latencies else { return values }
      return "\(values), half of the reads within \(latencies.p50.written), "
        + "95 % within \(latencies.p95.written)"
    case .exchanged(let value, _, _): return text(value)
    case .mtu(let octets): return "\(octets) bytes, a command or notification up to \(octets - 3)"
    case .services(let services, let names): return text(services, names)
    case .scanned(let found):
      let names = found.map { $0.name ?? "\($0.address)" }.joined(separator: ", ")
      let devices = counted(found.count, "device")
      return names.isEmpty ? devices : "\(devices): \(names)"
    case .logged(let text): return text
    }
  }

  private static func text(_ count: Int, rate: Double) -> String {
    let values = counted(count, "value")
    // The rate of fewer than two values means nothing.
    if count < 2 { return values }
    guard rate.isFinite else { return "\(values) at once" }
    return "\(values), \(DecodedValue.real(rate, decimals: 2)) a second"
  }

  /// The number of services, and their names.
  private static func text(_ services: [GATTService], _ names: AttributeNames) -> String {
    let titles = services.map { names.title(of: $0.uuid, .service) }
    let count = counted(services.count, "service")
    return titles.isEmpty ? count : "\(count): \(titles.joined(separator: ", "))"
  }

  static func text(_ gap: NotificationGap) -> String {
    let lasted = "\(milliseconds(gap.lasted)) s"
    switch gap.cause {
    case .linkLost: return "(gap: the link was lost, no values for \(lasted))"
    case .overflow(let dropped):
      return "(gap: \(counted(dropped, "value")) dropped, the buffer was full)"
    case .output(let dropped):
      return "(gap: \(counted(dropped, "value")) not printed, the reader was too slow)"
    }
  }

  /// The value; its bytes and the reason if they do not decode.
  package static func text(_ value: StepValue) -> String {
    let reason = value.problem.map { " (\($0))" } ?? ""
    guard let decoded = value.decoded else {
      let octets = value.octets
      return (octets.isEmpty ? "no bytes" : "bytes \(DecodedValue.octets(octets))") + reason
    }
    // For example, a record whose flags announce no field.
    if case .fields([]) = decoded { return "(no fields)" }
    let text = decoded.description
    return text.isEmpty ? "(empty)" : text + reason
  }

  /// The reasons of a failure, one on each line.
  ///
  /// ```swift
  /// for failure in try await plan.run(on: sensor).failures {
  ///   print(TextReport.reasons(failure).joined(separator: "\n"))
  /// }
  /// ```
  public static func reasons(_ failure: RunFailure) -> [String] {
    var lines = ["   what   \(failure.what)", "   why    \(failure.why)"]
    if let place = failure.source {
      lines.append("   where  \(place)")
      let excerpt = failure.sourceText.flatMap { LineExcerpt($0, at: place) }
      lines += excerpt?.lines.map { "          \($0)" } ?? []
    }
    if let bluez = failure.bluez { lines.append("   BlueZ  \(bluez)") }
    if !failure.hint.isEmpty { lines.append("   try    \(failure.hint)") }
    if let slice = failure.trace { lines.append("   trace  \(slice.sentence)") }
    return lines.map(\.printable)
  }

  /// The last line of a run.
  ///
  /// - Parameters:
  ///   - noun: The noun for its steps.
  ///   - place: The failed step; nil if there is none.
  package static func line(
    _ ending: RunEnding, _ took: Duration, of noun: String, at place: String?
  ) -> String {
    let steps = "\(counted(ending.done, noun)) in \(milliseconds(took)) s"
    let (status, warnings) = (ending.status.rawValue, warnings(ending.warnings))
    guard let failure = ending.failure else { return "\(status): \(steps)\(warnings)" }
    let at = place.map { " at \($0)" } ?? ""
    let head = "\(status)\(at) after \(steps): \(failure.code.rawValue)\(warnings)"
    // A failed step has printed its reasons; a run that ended between steps or in its cleanup has
    // not.
    return (place == nil ? "\(head): \(failure)" : head).printable
  }

  /// The number of warnings, `, 2 warnings`; empty for none.
  package static func warnings(_ count: Int) -> String {
    count == 0 ? "" : ", \(counted(count, "warning"))"
  }

  /// Seconds with three decimals, rounded down.
  ///
  /// ```swift
  /// print(TextReport.milliseconds(.milliseconds(1250)))  // 1.250
  /// ```
  public static func milliseconds(_ duration: Duration) -> String {
    String(duration.decimalSeconds.dropLast(3))
  }
}

extension TraceSlice {
  /// The slice as a sentence: `packets 17 to 42 of run.btsnoop, 2026-01-01T…Z to 2026-01-01T…Z`.
  var sentence: String {
    "packets \(packets.lowerBound) to \(packets.upperBound) of \(file), "
      + "\(Timestamp.text(times.lowerBound)) to \(Timestamp.text(times.upperBound))"
      + (before == 0 ? "" : ", after \(before) in files before it")
  }
}

extension TextReport {
  /// The outcome of a recorded step in the short form of ``text(_:)``; nil if it has none.
  ///
  /// - Parameters:
  ///   - result: The result of the step, a JSON object with the keys of docs/json.md.
  ///   - operation: The operation of the step.
  ///   - attribute: The attribute of the step; nil if it has none.
  package static func text(
    recorded result: JSONValue, of operation: String, _ attribute: String?
  ) -> String? {
    guard case .object(let members) = result else { return nil }
    let step = JSONValue.members(["operation": operation.json, "attribute": attribute?.json])
    return StepOutcome(recorded: .object(step + members)).map { text($0) }
  }
}

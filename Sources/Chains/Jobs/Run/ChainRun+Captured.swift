// The captured values of a run: storing them, and substituting them in later steps.

import Bluetooth
import Documents
import RunEvents
import Signals

extension ChainRun {
  /// Prepares a step to run: the step with its captured values, and as events describe it. If a value
  /// is missing, the step is unchanged, and there is a failure.
  ///
  /// A repeated step that uses no captured values is described once.
  func prepared(_ placed: PlacedStep) -> (PlacedStep, ReportedStep, RunFailure?) {
    guard placed.position.isTurn else {
      let (filled, failure) = filled(placed)
      return (filled, filled.reported, failure)
    }
    let written = placed.position.written
    if let known = state.withLock({ $0.repeated[written] }) {
      return (placed, known.at(placed.position), nil)
    }
    let (filled, failure) = filled(placed)
    let reported = filled.reported
    if placed.step.mentions.isEmpty { state.withLock { $0.repeated[written] = reported } }
    return (filled, reported, failure)
  }

  /// Substitutes the captured values of a step; if one is missing, returns the step unchanged, with
  /// a failure.
  func filled(_ placed: PlacedStep) -> (PlacedStep, RunFailure?) {
    do {
      try refuseIncomplete(placed.step)
      return (PlacedStep(placed.position, try Filling(value: value).filled(placed.step)), nil)
    } catch {
      let failure = RunFailure(
        code: .invalidValue, class: .definite, what: placed.step.participle, why: error.message,
        hint: "check the result of the earlier step with 'as'"
      )
      return (placed, failure)
    }
  }

  /// Throws if the step uses all values of a stream that had too many to keep.
  private func refuseIncomplete(_ step: Step) throws(Problem) {
    guard !keptStreams.isEmpty else { return }
    for path in step.mentions where keptStreams.contains(path.variable) {
      guard let captured = state.withLock({ $0.attempt.captures[path.variable] }),
        let field = path.field, captured.value?.field(at: field) == nil,
        let part = KeptPart(field), part.word == .values || part.word == .bytes,
        let problem = captured.kept?.problem(of: path.variable)
      else { continue }
      throw Problem(problem + ": 'expect' of the step keeps none")
    }
  }

  /// Begins a stream whose values may be used as a whole.
  func beginKeeping(as name: String?) {
    guard let name, keptStreams.contains(name) else { return }
    state.withLock { $0.attempt.captures[name, default: Capture()].kept = KeptValues() }
  }

  /// Keeps a value of a stream, if a later step uses the stream as a whole.
  ///
  /// - Parameter length: The number of bytes of the value, also of one joined from several.
  func keep(_ value: DecodedValue, octets: [UInt8], length: Int, as name: String?) {
    guard let name, keptStreams.contains(name) else { return }
    state.withLock { $0.attempt.captures[name]?.kept?.add(value, octets: octets, length: length) }
  }

  /// Stores a single value under a name, in place of all that the name has.
  ///
  /// - Parameter octets: The bytes that the device sent; nil for a value that is not from the
  ///   device.
  func capture(_ value: DecodedValue, octets: [UInt8]? = nil, as name: String?) {
    guard let name else { return }
    state.withLock { $0.attempt.captures[name] = Capture(value: value, octets: octets) }
  }

  /// Stores a value of a stream under a name, and leaves what is kept of the stream.
  func captureNext(_ value: DecodedValue, octets: [UInt8], as name: String?) {
    guard let name else { return }
    state.withLock { state in
      state.attempt.captures[name, default: Capture()].value = value
      state.attempt.captures[name]?.octets = octets
    }
  }

  /// The captured value, field or bytes at a path; nil if there are none.
  func value(_ path: VariablePath) -> DecodedValue? {
    guard let captured = state.withLock({ $0.attempt.captures[path.variable] }) else { return nil }
    guard let slice = path.slice else { return captured.part(path.field) }
    let whole = path.field == nil ? captured.octets.map { .octets($0) } : captured.part(path.field)
    if case .list(let values)? = whole { return slice.part(of: values).map { .list($0) } }
    return whole?.bytes.flatMap { slice.part(of: $0) }.map { .octets($0) }
  }

  /// Creates the state of a step's expectations; in a repetition, counters continue from the
  /// previous one.
  func progress(of placed: PlacedStep) -> ExpectationProgress {
    let counters =
      placed.position.isTurn
      ? state.withLock { $0.attempt.counters[placed.position.written] } : nil
    return ExpectationProgress(placed.step.expectations, counters: counters)
  }

  /// Stores the counters of a step for its next repetition.
  func keep(_ progress: ExpectationProgress, of placed: PlacedStep) {
    guard placed.position.isTurn,
      placed.step.expectations.contains(where: { $0.check.counter != nil })
    else { return }
    state.withLock { $0.attempt.counters[placed.position.written] = progress.counters }
  }

  /// Stores the measures over the values of a step.
  func keep(_ measures: StreamMeasures, as name: String?) {
    guard let name else { return }
    let fields = DecodedValue.fields(measures.fields(at: loop.now))
    state.withLock { $0.attempt.captures[name, default: Capture()].measures = fields }
  }
}

extension ChainRun.Capture {
  /// The value, or a field of it, a measure, or a part of the whole stream; nil if there is none.
  fileprivate func part(_ field: String?) -> DecodedValue? {
    guard let field else { return value }
    if let found = value?.field(at: field)?.value ?? measures?[field] { return found }
    guard let part = KeptPart(field) else { return nil }
    if let kept { return kept.value(of: part) }
    return part.word == .bytes && part.field == nil ? octets.map { .octets($0) } : nil
  }
}

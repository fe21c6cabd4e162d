// The captured values of a run: storing them, and substituting them in later steps.

import Bluetooth
import Documents
import Signals

extension ChainRun {
  /// Substitutes the captured values of a step; if one is missing, returns the step unchanged, with
  /// a failure.
  func filled(_ placed: PlacedStep) -> (PlacedStep, RunFailure?) {
    do {
      return (PlacedStep(placed.position, try Filling(value: value).filled(placed.step)), nil)
    } catch {
      let failure = RunFailure(
        code: .invalidValue, class: .definite, what: placed.step.doing, why: error.message,
        hint: "check the result of the earlier step with 'as'"
      )
      return (placed, failure)
    }
  }

  /// Stores a value under a name.
  ///
  /// - Parameter octets: The bytes that the device sent; nil for a value that is not from the
  ///   device.
  func capture(_ value: DecodedValue, octets: [UInt8]? = nil, as name: String?) {
    guard let name else { return }
    state.withLock { state in
      state.attempt.captures[name, default: Capture()].value = value
      state.attempt.captures[name]?.octets = octets
    }
  }

  /// The captured value, field or bytes at a path; nil if there are none.
  func value(_ path: VariablePath) -> DecodedValue? {
    guard let captured = state.withLock({ $0.attempt.captures[path.variable] }) else { return nil }
    if let slice = path.slice {
      let octets =
        path.field.map { captured.value?.field(at: $0)?.value.bytes } ?? captured.octets
      return octets.flatMap { slice.part(of: $0) }.map { .octets($0) }
    }
    guard let field = path.field else { return captured.value }
    return captured.value?.field(at: field)?.value ?? captured.measures?[field]
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

// What the steps of a run capture, and what later steps use of it.

import Bluetooth
import Documents
import Signals

extension ChainRun {
  /// The step with its captured values replaced; unchanged when one is missing.
  func filled(_ placed: PlacedStep) -> (PlacedStep, RunFailure?) {
    do {
      return (PlacedStep(placed.position, try Filling(value: value).filled(placed.step)), nil)
    } catch {
      let failure = RunFailure(
        code: .invalidValue,
        class: .definite,
        what: placed.step.doing,
        why: error.message,
        hint: "check the result of the earlier step with 'as'"
      )
      return (placed, failure)
    }
  }

  /// Stores a value under a name.
  ///
  /// - Parameter octets: What the device sent; nil for what is no value of it.
  func capture(_ value: DecodedValue, octets: [UInt8]? = nil, as name: String?) {
    guard let name else { return }
    state.withLock { state in
      state.captures[name] = value
      state.captured[name] = octets
    }
  }

  /// The captured value, the field of one, or the bytes, that `path` names.
  func value(_ path: VariablePath) -> DecodedValue? {
    state.withLock { state in
      let value = state.captures[path.variable]
      if let slice = path.slice {
        let octets =
          path.field.map { value?.field(at: $0)?.value.bytes } ?? state.captured[path.variable]
        return octets.flatMap { slice.bytes(of: $0) }.map { .octets($0) }
      }
      guard let field = path.field else { return value }
      return value?.field(at: field)?.value ?? state.measures[path.variable]?[field]
    }
  }

  /// The expectations of a step, with its counters from the previous repetition.
  func progress(of placed: PlacedStep) -> ExpectationProgress {
    let counters =
      placed.position.isTurn ? state.withLock { $0.counters[placed.position.written] } : nil
    return ExpectationProgress(placed.step.expectations, counters: counters)
  }

  /// Stores the counters of a step, for its next repetition.
  func keep(_ progress: ExpectationProgress, of placed: PlacedStep) {
    guard placed.position.isTurn,
      placed.step.expectations.contains(where: { $0.check.counter != nil })
    else { return }
    state.withLock { $0.counters[placed.position.written] = progress.counters }
  }

  /// Stores the measures over the values of a step.
  func keep(_ measures: StreamMeasures, as name: String?) {
    guard let name else { return }
    let fields = DecodedValue.fields(measures.fields(at: loop.now))
    state.withLock { $0.measures[name] = fields }
  }
}

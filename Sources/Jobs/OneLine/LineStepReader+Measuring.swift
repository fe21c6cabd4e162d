// Steps that tell something of the link, on one line: `rssi as link expect rssi > -80`.

extension LineStepReader {
  mutating func measure() throws(LineError) -> Step { try plain(.rssi, .ofLink) }

  /// A step with a name, expectations and a limit at most.
  mutating func plain(_ action: Step.Action, _ subjects: Subjects) throws(LineError) -> Step {
    var options = Options()
    while let word = pop() { try option(word, of: &options, known: ["as", "expect", "within"]) }
    return Step(
      action,
      capture: options.capture,
      expectations: try expectations(options.expected, subjects),
      timeout: options.within
    )
  }
}

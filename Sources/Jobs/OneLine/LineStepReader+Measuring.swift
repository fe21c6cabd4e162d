// The step that measures the link, on one line: `rssi as link expect rssi > -80`.

extension LineStepReader {
  mutating func measure() throws(LineError) -> Step {
    var options = Options()
    while let word = pop() { try option(word, of: &options, known: ["as", "expect", "within"]) }
    return Step(
      .rssi,
      capture: options.capture,
      expectations: try expectations(options.expected, .ofLink),
      timeout: options.within
    )
  }
}

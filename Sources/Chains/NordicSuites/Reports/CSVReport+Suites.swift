// The values of a suite as a table, with the same columns as that of a chain.

public import Jobs

extension CSVReport: SuiteReport {
  /// Returns one line for each field of a value.
  ///
  /// The step is the number of the test and that of the operation, such as `2.3`.
  public func lines(for event: SuiteEvent) -> [String] {
    guard case .test(_, let index, let run) = event.change,
      case .value(let step, let value) = run.change
    else { return [] }
    let place = [
      Timestamp.text(event.wallClock), event.offset.decimalSeconds, event.run.description,
      step.target?.device ?? run.device, "\(run.attempt)", "\(index).\(step.position)",
      step.operation, step.attribute ?? "",
    ]
    return Self.lines(place, value)
  }
}

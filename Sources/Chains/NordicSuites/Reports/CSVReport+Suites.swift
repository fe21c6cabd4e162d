// Values of a suite as a table, with the columns that the table of a chain has.

public import Jobs

extension CSVReport: SuiteReport {
  /// One line for each field of a value.
  ///
  /// The step is the number of the test and that of the operation in it, `2.3`.
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

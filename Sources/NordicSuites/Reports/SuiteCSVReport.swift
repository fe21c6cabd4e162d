// Values of a suite as a table, with the columns that the table of a chain has.

import Bluetooth
import Jobs

/// One line for each field of each value that an operation brought, below ``CSVReport/header``.
///
/// The step is the number of the test and that of the operation in it, `2.3`.
public struct SuiteCSVReport: SuiteReport {
  private let devices: SuiteDevices

  public init(_ devices: SuiteDevices) {
    self.devices = devices
  }

  public func lines(for event: SuiteEvent) -> [String] {
    guard case .operationFinished(let result) = event.change,
      case .value(let value)? = result.outcome
    else { return [] }
    let placed = result.placed
    let place = [
      Timestamp.text(event.wallClock), event.offset.decimalSeconds, event.run.description,
      devices.label(of: placed.target), "1", "\(placed.test).\(placed.number)",
      placed.operation.name, placed.operation.path?.description ?? "",
    ]
    return CSVReport.lines(place, value)
  }
}

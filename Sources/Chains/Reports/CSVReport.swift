// Values of runs and of watches as CSV, for spreadsheets and notebooks.

import Bluetooth
import Documents
public import RunEvents

/// A report with one line for each field of each value, below a header.
///
/// A value without fields has one line with an empty `field`; one that does not match its format
/// has only its bytes. The progress of an upload has no line.
///
/// - Source: RFC 4180, with line feeds as line ends.
public struct CSVReport: RunReport {
  /// The header.
  public static let header =
    "time,offset,run,device,attempt,step,operation,attribute,field,value,unit,hex,name"

  /// Creates a report; the caller prints ``header`` before its lines.
  ///
  /// ```swift
  /// print(CSVReport.header)
  /// _ = try await plan.run(on: sensor) { event in
  ///   CSVReport().lines(for: event).forEach { print($0) }
  /// }
  /// ```
  public init() {}

  /// Returns one line for each field of a value.
  ///
  /// The result of a `throughput` step has lines, too, with dotted names such as `up.rate`.
  ///
  /// In a suite, the step is the number of the test and that of the operation, such as `2.3`.
  public func lines(for event: RunEvent) -> [String] {
    let (step, value, flattensFields): (ReportedStep, StepValue, Bool)
    switch event.change {
    case .data(let own, .value(let data)) where event.uploadedPercent == nil:
      (step, value, flattensFields) = (own, data, false)
    // The values before it are rates over short windows; this is the result of all of them.
    case .step(.finished(let result)):
      guard result.step.isStream, case .value(let whole)? = result.outcome else { return [] }
      (step, value, flattensFields) = (result.step, whole, true)
    case .data, .run, .step, .remark: return []
    }
    let test = event.test.map { "\($0.index)." } ?? ""
    let place = [
      Timestamp.text(event.wallClock), event.offsetInGroup.decimalSeconds, event.run.description,
      step.target?.device ?? event.device, "\(event.attempt)", test + step.position.description,
      step.operation, step.attribute ?? "",
    ]
    return value.cells(flattensFields: flattensFields).map { cells in
      CSVCell.line(place + cells + [value.hex, event.deviceName ?? ""])
    }
  }
}

extension StepValue {
  /// The cells of each field: its name, value and unit. A value without fields has one with an
  /// empty name.
  ///
  /// - Parameter flattensFields: Whether nested fields have cells of their own, with a dotted name;
  ///   otherwise they are JSON in the cell of the outer field.
  func cells(flattensFields: Bool) -> [[String]] {
    func cells(_ field: DecodedValue.Field, inside outer: String) -> [[String]] {
      let name = outer + field.name
      guard flattensFields, case .fields(let inner) = field.value else {
        return [[name, JSONValue(field.value).cell, field.unit ?? ""]]
      }
      return inner.flatMap { cells($0, inside: name + ".") }
    }
    guard case .fields(let fields)? = decoded else {
      return [["", decoded.map { JSONValue($0).cell } ?? "", ""]]
    }
    return fields.flatMap { cells($0, inside: "") }
  }
}

/// A report with one line for each field of each value and for each gap.
///
/// - Source: RFC 4180, with line feeds as line ends.
package struct WatchCSVReport: RunReport {
  /// The header.
  package static let header = "time,offset,device,attribute,event,field,value,unit,hex"

  package init() {}

  package func lines(for event: RunEvent) -> [String] {
    switch event.change {
    case .data(let step, .value(let value)):
      let hex = step.hasOctets ? value.hex : ""
      return lines(event, step, "value", value.cells(flattensFields: true), hex)
    case .data(let step, .gap(let gap)):
      let fields = gap.members.map { member in
        [member.key, member.value.cell, member.key == "lasted" ? "s" : ""]
      }
      return lines(event, step, "gap", fields, "")
    case .data(_, .advertisement), .run, .step, .remark: return []
    }
  }

  private func lines(
    _ event: RunEvent, _ step: ReportedStep, _ kind: String, _ fields: [[String]], _ hex: String
  ) -> [String] {
    let place = [
      Timestamp.text(event.wallClock), event.offset.decimalSeconds, event.device,
      step.valueName ?? "", kind,
    ]
    return fields.map { CSVCell.line(place + $0 + [hex]) }
  }
}

// Only values, for programs that read one thing.

import Bluetooth
public import RunEvents

/// A report with one line for each value that arrives; everything else is omitted, including the
/// progress of an upload.
public struct ValueReport: RunReport {
  /// Whether each line begins with its time in the run, in seconds, and the attribute.
  private let showsPlace: Bool
  /// Whether the device is between the time and the attribute.
  private let showsDevice: Bool

  /// Creates a report of values.
  ///
  /// ```swift
  /// let values = ValueReport(showsPlace: true)
  /// _ = try await plan.run(on: sensor) { event in values.lines(for: event).forEach { print($0) } }
  /// ```
  ///
  /// - Parameters:
  ///   - showsPlace: Whether each line begins with its time in the run, in seconds, and the
  ///     attribute.
  ///   - showsDevice: Whether the device is between the two.
  public init(showsPlace: Bool = false, showsDevice: Bool = false) {
    self.showsPlace = showsPlace
    self.showsDevice = showsDevice
  }

  public func lines(for event: RunEvent) -> [String] {
    guard event.uploadedPercent == nil else { return [] }
    switch event.change {
    case .data(let step, .value(let value)): return [line(event, step, TextReport.text(value))]
    case .data(let step, .gap(let gap)): return showsPlace ? [line(event, step, text(gap))] : []
    case .data(_, .advertisement), .run, .step, .remark: return []
    }
  }

  /// The text of a gap. For a dropped connection it does not say that values continue, because the
  /// gap may last until the end of the watch.
  private func text(_ gap: NotificationGap) -> String {
    guard gap.cause == .linkLost else { return TextReport.text(gap) }
    return "(gap: not connected for \(TextReport.milliseconds(gap.lasted)) s)"
  }

  private func line(_ event: RunEvent, _ step: ReportedStep, _ text: String) -> String {
    guard showsPlace else { return text.printable }
    let device = showsDevice ? event.device : nil
    let words = [TextReport.milliseconds(event.offset), device, step.valueName, text]
    return words.compactMap { $0 }.joined(separator: "  ").printable
  }
}

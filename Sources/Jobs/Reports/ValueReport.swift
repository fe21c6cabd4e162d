// Only values, for programs that read one thing.

import Bluetooth

/// One line for each value when it arrives; everything else is omitted.
public struct ValueReport: RunReport {
  /// Whether each line begins with its time in the run, in seconds, and with the attribute.
  private let showsPlace: Bool

  /// A report of values; with `showsPlace` each line begins with its time in the run, in seconds,
  /// and with the attribute.
  public init(showsPlace: Bool = false) {
    self.showsPlace = showsPlace
  }

  public func lines(for event: RunEvent) -> [String] {
    switch event.change {
    case .value(let step, let value): [line(event, step, TextReport.text(value))]
    case .gap(let step, let gap): showsPlace ? [line(event, step, TextReport.text(gap))] : []
    case .runStarted, .stepStarted, .advertisement, .stepFinished, .runFinished, .pairingDisplay:
      []
    }
  }

  private func line(_ event: RunEvent, _ step: ReportedStep, _ text: String) -> String {
    guard showsPlace else { return text.printable }
    let attribute = step.attribute ?? ""
    let time = TextReport.milliseconds(event.offset)
    return "\(time)  \(attribute)  \(text)".printable
  }
}

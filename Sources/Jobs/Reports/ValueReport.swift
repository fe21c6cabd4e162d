// Nothing but values: what a program that reads one thing wants.

import Bluetooth

/// One line for each value as it comes; failures and everything else are left out.
public struct ValueReport: RunReport {
  /// Whether each line begins with its time in the run, in seconds, and with the attribute.
  private let tellsPlace: Bool

  public init(tellsPlace: Bool = false) {
    self.tellsPlace = tellsPlace
  }

  public func lines(for event: RunEvent) -> [String] {
    switch event.change {
    case .value(let step, let value): [line(event, step, TextReport.text(value))]
    case .gap(let step, let gap): tellsPlace ? [line(event, step, TextReport.text(gap))] : []
    case .runStarted, .stepStarted, .advertisement, .stepFinished, .runFinished, .pairingDisplay:
      []
    }
  }

  private func line(_ event: RunEvent, _ step: ReportedStep, _ text: String) -> String {
    guard tellsPlace else { return TextReport.visible(text) }
    let attribute = step.attribute ?? ""
    let time = TextReport.milliseconds(event.offset)
    return TextReport.visible("\(time)  \(attribute)  \(text)")
  }
}

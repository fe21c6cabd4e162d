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
    case .value(let placed, let value): [line(event, placed, TextReport.text(value))]
    case .gap(let placed, let gap): tellsPlace ? [line(event, placed, TextReport.text(gap))] : []
    case .runStarted, .stepStarted, .stepFinished, .runFinished, .pairingDisplay: []
    }
  }

  private func line(_ event: RunEvent, _ placed: PlacedStep, _ text: String) -> String {
    guard tellsPlace else { return TextReport.visible(text) }
    let attribute = placed.step.attribute ?? ""
    let time = TextReport.milliseconds(event.offset)
    return TextReport.visible("\(time)  \(attribute)  \(text)")
  }
}

// `poll`: reads a characteristic at a fixed interval.

import Bluetooth

extension Polling: StreamingKind {
  init() { self.init(.unread, every: .zero, StopConditions()) }

  static let verb = StepVerb.poll
  static let documentation = "reads a characteristic at a fixed interval, the first time at once"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let keys: [Key<Polling>] =
    [
      Key("poll", \.target, .characteristic, .target, documentation: "the characteristic"),
      Key(
        "every",
        \.period,
        .duration,
        documentation: "the interval between the starts of two reads"
      ),
      Key("format", \.format, .format, documentation: "the format of each value"),
    ] + endingKeys
  static let rules: [KeyRule<Polling>] = endingRules

  var action: Step.Action { .poll(self) }
  var subjects: Subjects? {
    Subjects(of: target, format: format, kind: .poll, most: stop.count)
  }
  var characteristic: CharacteristicSelector? { target }
  var doing: String { "polling \(target)" }
  func limit(_ usual: Duration) -> Duration { (length ?? .zero) + usual }
}

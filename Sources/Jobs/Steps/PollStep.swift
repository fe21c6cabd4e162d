// `poll`: reads a characteristic again and again.

import Bluetooth

extension Polling: StreamingKind {
  init() { self.init(.unread, every: .zero, Enough()) }

  static let verb = StepVerb.poll
  static let documentation = "reads a characteristic at fixed times, the first time at once"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let keys: [Key<Polling>] =
    [
      Key("poll", \.target, .characteristic, .target, documentation: "the characteristic"),
      Key(
        "every",
        \.period,
        .duration,
        documentation: "from the beginning of one read to that of the next"
      ),
      Key("format", \.format, .format, documentation: "how each value is understood"),
    ] + endingKeys
  static let rules: [KeyRule<Polling>] = endingRules

  var action: Step.Action { .poll(self) }
  var subjects: Subjects? { Subjects(of: target, format: format, kind: .poll) }
  var characteristic: CharacteristicSelector? { target }
  var doing: String { "reading \(target) again and again" }
  func limit(_ usual: Duration) -> Duration { (length ?? .zero) + usual }
}

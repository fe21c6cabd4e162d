// `exchange`: writes, and waits for the notification that answers.

import Bluetooth

extension Exchanging: StepKind {
  init() { self.init(Write()) }

  static let verb = StepVerb.exchange
  static let documentation = "subscribes, writes, and waits for the notification that answers"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let titleKeys = 4
  static let keys: [Key<Exchanging>] = [
    Key(
      "exchange",
      \.write.target,
      .characteristic,
      .target,
      documentation: "the characteristic that is written"
    ),
    .value(\.write.value),
    .writeKind(\.write.kind),
    .writeOffset(\.write.offset),
    Key(
      "answer",
      \.otherAnswer,
      .characteristic,
      documentation: "the characteristic that answers; by default the one that is written"
    ),
    Key("format", \.format, .format, documentation: "the format of the answer"),
    Key(
      "where",
      \.conditions,
      .expectations,
      default: [],
      .comparisons(after: "where"),
      documentation: "what a notification must be to count as the answer"
    ),
    Key(
      "delivery",
      \.delivery,
      .choice(),
      default: .signals,
      documentation: "how the answer arrives from bluetoothd"
    ),
  ]
  static let rules: [KeyRule<Exchanging>] = [
    .values(blamed: ["offset", "delivery"]) { exchanging, _ in exchanging.write.contradiction }
  ]

  var action: Step.Action { .exchange(self) }
  var characteristic: CharacteristicSelector? { answer }
  var subjects: Subjects? { Subjects(of: answer, format: format, kind: .single) }
  var doing: String { "writing \(write.target) and waiting for \(answer)" }
}

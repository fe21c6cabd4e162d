// `exchange`: writes, and takes the notification that answers.

import Bluetooth

extension Exchanging: StepKind {
  init() { self.init(Write()) }

  static let verb = StepVerb.exchange
  static let documentation = "subscribes, writes, and takes the notification that answers"
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
    Key(
      "value",
      \.write.value,
      .written,
      .parts,
      documentation: "the value in a format, or a list of those"
    ),
    Key(
      "kind",
      \.write.kind,
      .kindOfWriting,
      default: .automatic,
      .kind,
      documentation: "how it is written"
    ),
    Key(
      "offset",
      \.write.offset,
      .offset,
      default: 0,
      documentation: "the first octet that is written"
    ),
    Key(
      "answer",
      \.otherAnswer,
      .characteristic,
      documentation: "the characteristic that answers; the one that is written when it is not there"
    ),
    Key("format", \.format, .format, documentation: "how the answer is understood"),
    Key(
      "where",
      \.conditions,
      .expectations,
      default: [],
      .comparisons(after: "where"),
      documentation: "what a notification has to be to be the answer"
    ),
    Key(
      "delivery",
      \.delivery,
      .choice(),
      default: .signals,
      documentation: "the way of the answer from bluetoothd"
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

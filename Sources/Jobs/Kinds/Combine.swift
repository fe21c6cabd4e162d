// `combine`: combines the latest values of several characteristics.

import Bluetooth

extension Combining: StreamingKind {
  init() { self.init([], StopConditions()) }

  static let verb = StepVerb.combine
  static let documentation =
    "combines the latest values of several characteristics, whenever one of them changes"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let keys: [Key<Combining>] =
    [
      Key(
        "combine",
        \.inputs,
        .inputs,
        .inputs(Input.keys.map(\.description)),
        documentation:
          "2 to \(mostInputs) inputs, each with `notify`, or `poll` and `every`, and with `as`; `format` is optional"
      )
    ] + endingKeys
  static let rules: [KeyRule<Combining>] = endingRules

  var action: Step.Action { .combine(self) }
  /// It has no single characteristic.
  var characteristic: CharacteristicSelector? { nil }
  var subjects: Subjects? { Subjects(of: inputs) }
  var title: String { "combine \(inputs.map(\.name).joined(separator: ", "))" }
  var doing: String {
    "following \(inputs.map { "\($0.target)" }.joined(separator: " and "))"
  }
  func limit(_ usual: Duration) -> Duration { (stop.duration ?? .zero) + usual }
}

extension Combining.Input: Described {
  init() { self.init("", .notify, .unread) }

  static let keys: [Key<Combining.Input>] = [
    Key(
      "notify",
      \.notified,
      .characteristic,
      .target,
      documentation: "a characteristic that notifies"
    ),
    Key("poll", \.polled, .characteristic, .target, documentation: "a characteristic that is read"),
    Key(
      "every",
      \.period,
      .duration,
      documentation: "the interval between the starts of two reads"
    ),
    Key("format", \.format, .format, documentation: "the format of each value"),
    Key(
      "as",
      \.name,
      .variableName,
      .option("as"),
      documentation: "the name of the value"
    ),
  ]
  static let rules: [KeyRule<Combining.Input>] = [
    .exactlyOne(
      ["notify", "poll"],
      Complaint("an input has exactly one source", expected: "'notify' or 'poll'")
    ),
    .pair("poll", with: "every"),
  ]

  private var notified: CharacteristicSelector? {
    get { period == nil ? target : nil }
    set { if let newValue { target = newValue } }
  }

  private var polled: CharacteristicSelector? {
    get { period == nil ? nil : target }
    set { if let newValue { target = newValue } }
  }

  private var period: Duration? {
    get { if case .poll(let period) = source { period } else { nil } }
    set { source = newValue.map { .poll(every: $0) } ?? .notify }
  }
}

extension Combining.Input: CustomStringConvertible {
  /// In the one-line form: `notify heart-rate-measurement as hr`.
  public var description: String {
    ([period == nil ? "notify" : "poll"] + words(Self.keys)).joined(separator: " ")
  }
}

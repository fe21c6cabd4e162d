// `notify`: receives notifications or indications.

import Bluetooth

extension Listening: StreamingKind {
  init() { self.init(to: .unread) }

  static let verb = StepVerb.notify
  static let documentation = "receives notifications or indications"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let titleKeys = 2
  static let keys: [Key<Listening>] =
    [
      Key("notify", \.target, .characteristic, .target, documentation: "the characteristic"),
      Key(
        "after",
        \.trigger,
        .trigger,
        .write(after: "after", Write.keys.map(\.description)),
        documentation: "a `write` that triggers them, once the subscription is active"
      ),
    ] + endingKeys + [
      Key("format", \.format, .format, documentation: "the format of each value"),
      Key(
        "delivery",
        \.options.delivery,
        .choice(),
        default: .signals,
        documentation: "how the values arrive from bluetoothd"
      ),
      Key(
        "on-link-loss",
        \.options.onLinkLoss,
        .choice(),
        default: .fail,
        documentation: "what happens when the connection is lost"
      ),
      Key(
        "buffer",
        \.options.buffer,
        .buffer,
        default: SubscriptionOptions.usualBuffer,
        documentation: "how many values may be buffered"
      ),
      Key(
        "overflow",
        \.options.overflow,
        .choice(),
        default: .error,
        documentation: "what happens when the buffer is full"
      ),
    ]
  static let rules: [KeyRule<Listening>] = endingRules

  var action: Step.Action { .notify(self) }
  var subjects: Subjects? {
    Subjects(of: target, format: format, kind: .stream, most: stop.count)
  }
  var characteristic: CharacteristicSelector? { target }
  var doing: String { "listening to \(target)" }
  var valueTitle: String { title(keys: 1) }
  func limit(_ usual: Duration) -> Duration { (stop.duration ?? .zero) + usual }
}

extension Shape where Value == Int {
  /// How many values may be buffered.
  fileprivate static var buffer: Self {
    .integer("a number of values", "values") { _ in 1...SubscriptionOptions.mostBuffered }
  }
}

extension SubscriptionOptions {
  /// The most values that a chain may ask to be buffered.
  static let mostBuffered = 1_000_000
}

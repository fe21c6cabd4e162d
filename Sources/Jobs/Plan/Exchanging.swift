// A request and the notification that answers it, in a chain.

public import Bluetooth

/// What an `exchange` step writes, and which notification answers it.
public struct Exchanging: Hashable, Sendable {
  /// Written once the subscription is active, so that no answer is missed.
  public var write: Write
  /// The characteristic that notifies the answer; often the one that is written.
  public var answer: CharacteristicSelector {
    get { otherAnswer ?? write.target }
    set { otherAnswer = newValue == write.target ? nil : newValue }
  }
  /// The characteristic of the answer; nil when it is the one that is written.
  var otherAnswer: CharacteristicSelector?
  /// The format of an answer without a specification.
  public var format: ValueFormat?
  /// What a notification must be to count as the answer. Earlier ones are ignored.
  public var conditions: [Expectation]
  /// How the answer is delivered.
  public var delivery: SubscriptionOptions.Delivery

  /// A write and what answers it.
  ///
  /// ```swift
  /// let count = try WrittenValue([.init(ValueFormat("hex")!, "0401")])
  /// let exchanging = Exchanging(Write(count, to: "record-access-control-point"))
  /// ```
  ///
  /// - Parameters:
  ///   - write: What is written.
  ///   - answer: The characteristic of the answer; nil when it is the one that is written.
  ///   - format: The format of an answer without a specification.
  ///   - conditions: What the answer must be.
  ///   - delivery: How the notifications reach this process.
  public init(
    _ write: Write,
    answer: CharacteristicSelector? = nil,
    format: ValueFormat? = nil,
    where conditions: [Expectation] = [],
    delivery: SubscriptionOptions.Delivery = .signals
  ) {
    self.write = write
    otherAnswer = answer == write.target ? nil : answer
    self.format = format
    self.conditions = conditions
    self.delivery = delivery
  }

  /// Whether a notification is the answer. One that cannot be decoded is compared by its octets.
  func isAnswer(_ octets: [UInt8]) -> Bool {
    guard !conditions.isEmpty else { return true }
    let value = (try? StepValue.decode(octets, of: answer, format: format)) ?? .octets(octets)
    return conditions.allSatisfy { condition in
      (try? condition.check(value, octets: octets)) != nil
    }
  }
}

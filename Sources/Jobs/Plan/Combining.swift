// A combination of several values, in a chain.

public import Bluetooth

/// The latest values of several characteristics, combined.
public struct Combining: Hashable, Sendable {
  /// One input.
  public struct Input: Hashable, Sendable {
    /// How the values of an input arrive.
    public enum Source: Hashable, Sendable {
      /// It is notified.
      case notify
      /// It is read at this interval, from start to start.
      case poll(every: Duration)
    }

    /// The name of the value.
    public var name: String
    /// How the values arrive.
    public var source: Source
    /// The characteristic of the input.
    public var target: CharacteristicSelector
    /// The format of values without a specification.
    public var format: ValueFormat?

    /// An input with the name of its value.
    public init(
      _ name: String,
      _ source: Source,
      _ target: CharacteristicSelector,
      format: ValueFormat? = nil
    ) {
      self.name = name
      self.source = source
      self.target = target
      self.format = format
    }
  }

  /// What is combined; at most ``mostInputs``.
  public var inputs: [Input]
  /// When the step stops.
  public var stop: StopConditions

  /// Inputs, and when to stop.
  ///
  /// ```swift
  /// let inputs: [Combining.Input] = [
  ///   .init("heart", .notify, "heart-rate-measurement"),
  ///   .init("battery", .poll(every: .seconds(10)), "battery-level"),
  /// ]
  /// let both = Step(.combine(Combining(inputs, StopConditions(count: 20))))
  /// ```
  public init(_ inputs: [Input], _ stop: StopConditions) {
    self.inputs = inputs
    self.stop = stop
  }

  /// The maximum number of inputs.
  public static let mostInputs = 8
}

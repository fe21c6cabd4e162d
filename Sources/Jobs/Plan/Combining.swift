// A combination of several values, in a chain.

public import Bluetooth

/// The latest values of several characteristics, combined.
public struct Combining: Hashable, Sendable {
  /// One input.
  public struct Input: Hashable, Sendable {
    public enum Source: Hashable, Sendable {
      /// It is notified.
      case notify
      /// It is read at this interval, from start to start.
      case poll(every: Duration)
    }

    /// The name of the value.
    public var name: String
    public var source: Source
    public var target: CharacteristicSelector
    public var format: ValueFormat?

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

  public var inputs: [Input]
  public var stop: StopConditions

  public init(_ inputs: [Input], _ stop: StopConditions) {
    self.inputs = inputs
    self.stop = stop
  }

  /// The maximum number of inputs.
  public static let mostInputs = 8
}

// Several values together, as a chain says it.

public import Bluetooth

/// Several values, of which the latest of each are looked at together.
public struct Combining: Hashable, Sendable {
  /// One of the values.
  public struct Input: Hashable, Sendable {
    public enum Source: Hashable, Sendable {
      /// It is notified.
      case notify
      /// It is read, from the beginning of one read to that of the next so long.
      case poll(every: Duration)
    }

    /// What the value is called among the others.
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
  public var enough: Enough

  public init(_ inputs: [Input], _ enough: Enough) {
    self.inputs = inputs
    self.enough = enough
  }

  /// How many values may be combined.
  public static let mostInputs = 8
}

// Reading at fixed times, and several values together, as a chain says it.

public import Bluetooth

/// A characteristic that is read again and again.
public struct Polling: Hashable, Sendable {
  public var target: CharacteristicSelector
  public var format: ValueFormat?
  /// From the beginning of one read to that of the next. A read that takes longer delays none: what
  /// it missed is left out.
  public var period: Duration
  public var enough: Enough

  public init(
    _ target: CharacteristicSelector,
    every period: Duration,
    format: ValueFormat? = nil,
    _ enough: Enough
  ) {
    self.target = target
    self.format = format
    self.period = period
    self.enough = enough
  }

  /// In the one-line form, without the verb and the target.
  var words: [String] {
    ["every \(period.written)"] + (format.map { ["format \($0)"] } ?? []) + enough.words
  }

  /// How long it takes by itself; nil when that cannot be known.
  var length: Duration? {
    enough.duration ?? enough.count.map { period * ($0 - 1) }
  }
}

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

extension Combining.Input: CustomStringConvertible {
  /// In the one-line form: `notify heart-rate-measurement as hr`.
  public var description: String {
    var words: [String]
    switch source {
    case .notify: words = ["notify \(target)"]
    case .poll(let period): words = ["poll \(target) every \(period.written)"]
    }
    if let format { words.append("format \(format)") }
    return (words + ["as \(name)"]).joined(separator: " ")
  }
}

// When a step that takes many values has enough of them.

import Bluetooth

/// What ends a `notify`, a `poll` or a `combine`: whichever comes first.
public struct Enough: Hashable, Sendable {
  /// How many values are enough.
  public var count: Int?
  /// How long to go on. That it is over is no failure.
  public var duration: Duration?
  /// How long nothing has to come.
  public var silence: Duration?
  /// What a value has to be to be the last; all of them.
  public var conditions: [Expectation]

  public init(
    count: Int? = nil,
    duration: Duration? = nil,
    silence: Duration? = nil,
    conditions: [Expectation] = []
  ) {
    self.count = count
    self.duration = duration
    self.silence = silence
    self.conditions = conditions
  }

  /// Whether a value is the last.
  func isMet(by value: DecodedValue, octets: [UInt8]) -> Bool {
    guard !conditions.isEmpty else { return false }
    return conditions.allSatisfy { (try? $0.check(value, octets: octets)) != nil }
  }
}

extension Enough {
  /// The captured values that its conditions compare with.
  var references: [VariablePath] { conditions.flatMap(\.check.references) }
}

// One rule of a fault plan.

public import Bluetooth

/// Which of the matching operations a rule hits, counted from 1 and over all links.
public enum FaultOccurrence: Sendable, Hashable {
  /// That one alone.
  case nth(Int)
  /// That one, the one twice as late, and so on; `every(1)` hits all.
  case every(Int)
  /// Each with this probability from 0 to 1, drawn from the seed.
  case probability(Double)
}

/// When something goes wrong, and what.
public struct FaultRule: Sendable, Hashable {
  public var on: FaultKind
  /// Only operations on this characteristic; nil: on any.
  public var characteristic: BluetoothUUID?
  public var occurrence: FaultOccurrence
  public var action: FaultAction

  public init(
    on: FaultKind,
    characteristic: BluetoothUUID? = nil,
    occurrence: FaultOccurrence = .every(1),
    action: FaultAction
  ) {
    self.on = on
    self.characteristic = characteristic
    self.occurrence = occurrence
    self.action = action
  }

  /// Whether the rule counts this operation.
  public func matches(_ operation: FaultOperation) -> Bool {
    guard on == .any || on == operation.kind, action.applies(to: operation.kind) else {
      return false
    }
    return characteristic == nil || characteristic == operation.characteristic
  }
}

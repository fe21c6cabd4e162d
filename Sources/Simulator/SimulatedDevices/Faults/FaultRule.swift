// One rule of a fault plan.

public import Bluetooth
import Signals

/// Selects among the matching operations, which are counted from 1 over all connections.
public enum FaultOccurrence: Sendable, Hashable {
  /// Only this one.
  case nth(Int)
  /// This one and its multiples; `every(1)` selects all.
  case every(Int)
  /// Each with this probability from 0 to 1, drawn from the seed.
  case probability(Double)
}

/// Counts matching operations or events, and selects the affected ones.
struct OccurrenceCount: Sendable {
  private let occurrence: FaultOccurrence
  private let burst: Int
  private var count = 0
  /// The remaining affected operations of a burst.
  private var left = 0
  private var generator: SeededGenerator

  init(_ occurrence: FaultOccurrence, burst: Int = 1, generator: SeededGenerator) {
    self.occurrence = occurrence
    self.burst = burst
    self.generator = generator
  }

  /// Counts one, and returns whether it is affected.
  mutating func next() -> Bool {
    count += 1
    let isHit =
      switch occurrence {
      case .nth(let nth): count == nth
      case .every(let step): step > 0 && count.isMultiple(of: step)
      case .probability(let probability):
        Double.random(in: 0..<1, using: &generator) < probability
      }
    if isHit {
      left = max(left, burst - 1)
    } else if left > 0 {
      left -= 1
      return true
    }
    return isHit
  }
}

/// A condition on the host for a rule to count an operation.
public enum FaultCondition: Sendable, Hashable {
  /// The adapter is scanning.
  case scanning
  /// At least this many devices are connected.
  case links(Int)
}

/// The state of the host that fault conditions depend on.
public struct Surroundings: Sendable, Hashable {
  /// Whether the adapter is scanning.
  public var isScanning: Bool
  /// The number of connected devices.
  public var links: Int

  /// Creates a state of the host.
  public init(isScanning: Bool = false, links: Int = 0) {
    self.isScanning = isScanning
    self.links = links
  }

  func satisfy(_ condition: FaultCondition?) -> Bool {
    switch condition {
    case .scanning?: isScanning
    case .links(let least)?: links >= least
    case nil: true
    }
  }
}

/// A rule of a device's faults: when, and what.
public struct FaultRule: Sendable, Hashable {
  /// The operations that the rule applies to.
  public var on: FaultKind
  /// The characteristics that the rule applies to; nil: any.
  public var characteristic: CharacteristicSelector?
  /// Selects the affected ones among the matching operations.
  public var occurrence: FaultOccurrence
  /// The number of consecutive operations that are affected.
  public var burst: Int
  /// The time since the device's start in which the rule applies; nil: any time.
  public var window: Range<Duration>?
  /// The condition on the host; nil: none.
  public var condition: FaultCondition?
  /// The effect on the operation.
  public var action: OperationFault

  /// Creates a rule; see the properties.
  ///
  /// ```swift
  /// let third = FaultRule(on: .read, occurrence: .nth(3), action: .loseLinkBefore)
  /// let world = try SimulatedWorld(.file("thermometer.yaml"), faults: [third])
  /// ```
  public init(
    on: FaultKind, characteristic: BluetoothUUID? = nil, occurrence: FaultOccurrence = .every(1),
    burst: Int = 1, window: Range<Duration>? = nil, condition: FaultCondition? = nil,
    action: OperationFault
  ) {
    self.on = on
    self.characteristic = characteristic.map { CharacteristicSelector(characteristic: $0) }
    self.occurrence = occurrence
    self.burst = burst
    self.window = window
    self.condition = condition
    self.action = action
  }

  /// True if the rule counts this operation; the parameters are those of ``FaultPlan``.
  func matches(
    _ operation: FaultOperation, at elapsed: Duration, in surroundings: Surroundings,
    of table: AttributeTable?
  ) -> Bool {
    guard on == .any || on == operation.kind, action.applies(to: operation.kind) else {
      return false
    }
    guard window?.contains(elapsed) ?? true, surroundings.satisfy(condition) else { return false }
    guard let characteristic else { return true }
    guard let handle = operation.handle, let table else {
      return characteristic.characteristic == operation.characteristic
    }
    return table.indices(of: characteristic).contains {
      table.characteristics[$0].entry.handle == handle
    }
  }
}

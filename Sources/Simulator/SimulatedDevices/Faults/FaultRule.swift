// One rule of a fault plan.

public import Bluetooth
import Signals

/// Which of the matching operations a rule affects, counted from 1 over all connections.
public enum FaultOccurrence: Sendable, Hashable {
  /// That one alone.
  case nth(Int)
  /// That one, the one twice as late, and so on; `every(1)` hits all.
  case every(Int)
  /// Each with this probability from 0 to 1, drawn from the seed.
  case probability(Double)
}

/// The operations or events that a fault is about, so far: which of them it affects.
struct OccurrenceCount: Sendable {
  private let occurrence: FaultOccurrence
  private let burst: Int
  private var count = 0
  /// How many more of a burst are affected.
  private var left = 0
  private var generator: SeededGenerator

  init(_ occurrence: FaultOccurrence, burst: Int = 1, generator: SeededGenerator) {
    self.occurrence = occurrence
    self.burst = burst
    self.generator = generator
  }

  /// Counts one more, and returns whether it is affected.
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

/// What has to hold around a device for a rule to count an operation.
public enum FaultCondition: Sendable, Hashable {
  /// The adapter scans.
  case scanning
  /// At least so many devices have a link.
  case links(Int)
}

/// The state of the host around a device, for its fault conditions.
public struct Surroundings: Sendable, Hashable {
  /// Whether the adapter scans.
  public var isScanning: Bool
  /// How many devices have a link.
  public var links: Int

  /// A state of the host.
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

/// When something goes wrong, and what.
public struct FaultRule: Sendable, Hashable {
  /// The operations that the rule is about.
  public var on: FaultKind
  /// Only operations on the characteristics that match; nil: on any.
  public var characteristic: CharacteristicSelector?
  /// Which of them it affects.
  public var occurrence: FaultOccurrence
  /// How many operations in a row are hit when one is.
  public var burst: Int
  /// Only operations that begin so long after the device's start; nil: at any time.
  public var window: Range<Duration>?
  /// What must hold around the device; nil: nothing.
  public var condition: FaultCondition?
  /// What goes wrong.
  public var action: OperationFault

  /// A rule; see the properties.
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

  /// Whether the rule counts this operation: the parameters are those of the plan.
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

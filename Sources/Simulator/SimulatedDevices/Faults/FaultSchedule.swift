// Decides when the faults of a scenario fire: events in, actions out.
//
// Pure: no loop, no lock. The caller runs the timers.

public import Signals

/// A scheduled fault of devices, links, adapters or bluetoothd.
public struct ScheduledFault: Sendable, Hashable {
  /// The event that makes a fault fire.
  public enum Trigger: Sendable, Hashable {
    /// A time after the start; with `every` again at that interval, `times` in all.
    case at(Duration, every: Duration? = nil, times: Int? = nil)
    /// A time between the two, drawn from the seed.
    case between(Duration, Duration)
    /// A time after a matching event; matches are counted from 1.
    case after(WorldEvent.Pattern, FaultOccurrence, delay: Duration)
  }

  public var trigger: Trigger
  /// The actions, each with its own delay.
  public var actions: [TimedAction]

  /// Creates a fault; see the properties.
  public init(_ trigger: Trigger, _ actions: [TimedAction]) {
    self.trigger = trigger
    self.actions = actions
  }
}

/// One action of a scheduled fault.
public struct TimedAction: Sendable, Hashable {
  /// The delay after the fault fired.
  public var delay: Duration
  public var action: WorldAction

  /// Creates an action with a delay after the fault fired.
  public init(after delay: Duration = .zero, _ action: WorldAction) {
    self.delay = delay
    self.action = action
  }
}

/// The scheduled faults of a scenario, with their counts.
///
/// Each fault has its own generator, derived from its index, and draws from it for each event that
/// it matches.
public struct FaultSchedule: Sendable {
  /// A fault that will fire after a delay.
  public struct Firing: Sendable, Hashable {
    /// The index of the fault.
    public let fault: Int
    public let delay: Duration
  }

  private struct Entry {
    let fault: ScheduledFault
    /// The number of timed firings so far.
    var firings = 0
    var generator: SeededGenerator
    var events: OccurrenceCount?
  }

  private var entries: [Entry]

  /// The label of each fault's generator. A new label would change the world of every seed.
  private static let label = "blow"

  /// Creates the schedule of a scenario's faults.
  public init(_ faults: [ScheduledFault], generator: SeededGenerator) {
    entries = faults.enumerated().map { index, fault in
      let own = generator.split("\(Self.label) \(index + 1)")
      guard case .after(_, let occurrence, _) = fault.trigger else {
        return Entry(fault: fault, generator: own)
      }
      let events = OccurrenceCount(occurrence, generator: own)
      return Entry(fault: fault, generator: own, events: events)
    }
  }

  /// True if there are no faults.
  public var isEmpty: Bool { entries.isEmpty }

  /// Returns the timed faults at the start.
  public mutating func begin() -> [Firing] {
    entries.indices.compactMap { index in
      switch entries[index].fault.trigger {
      case .at(let delay, _, _): return Firing(fault: index, delay: delay)
      case .between(let earliest, let latest):
        let fraction = Double.random(in: 0..<1, using: &entries[index].generator)
        return Firing(fault: index, delay: earliest + (latest - earliest) * fraction)
      case .after: return nil
      }
    }
  }

  /// Applies an event, and returns the faults that it triggers.
  public mutating func happened(_ event: WorldEvent) -> [Firing] {
    entries.indices.compactMap { index in
      guard case .after(let pattern, _, let delay) = entries[index].fault.trigger,
        pattern.matches(event), entries[index].events?.next() == true
      else { return nil }
      return Firing(fault: index, delay: delay)
    }
  }

  /// Fires a fault: returns its actions, and its next firing if it repeats.
  public mutating func fire(_ index: Int) -> (actions: [TimedAction], again: Firing?) {
    guard entries.indices.contains(index) else { return ([], nil) }
    let fault = entries[index].fault
    var again: Firing?
    if case .at(_, let every?, let times) = fault.trigger {
      entries[index].firings += 1
      if entries[index].firings < times ?? .max { again = Firing(fault: index, delay: every) }
    }
    return (fault.actions, again)
  }
}

// Which fault fires when: events in, actions out.
//
// Pure: no loop, no lock. The caller waits for the delays.

public import Signals

/// What happens to devices, links, adapters or bluetoothd, and when.
public struct ScheduledFault: Sendable, Hashable {
  /// What makes it fire.
  public enum Trigger: Sendable, Hashable {
    /// So long after the start; then, with `every`, again and again, `times` in all.
    case at(Duration, every: Duration? = nil, times: Int? = nil)
    /// At a moment that is drawn from the seed.
    case between(Duration, Duration)
    /// After something has happened, counted from 1.
    case after(WorldEvent.Pattern, FaultOccurrence, delay: Duration)
  }

  /// What makes it fire.
  public var trigger: Trigger
  /// What it does, each at its own time.
  public var actions: [TimedAction]

  /// A fault; see the properties.
  public init(_ trigger: Trigger, _ actions: [TimedAction]) {
    self.trigger = trigger
    self.actions = actions
  }
}

/// One action of a fault.
public struct TimedAction: Sendable, Hashable {
  /// Since the fault fired.
  public var delay: Duration
  /// What happens.
  public var action: WorldAction

  /// An action, so long after the fault fired.
  public init(after delay: Duration = .zero, _ action: WorldAction) {
    self.delay = delay
    self.action = action
  }
}

/// The scheduled faults of a scenario with their counts so far.
///
/// Each fault has a random generator of its own, split off by its index, and draws from it for each
/// event that it matches.
public struct FaultSchedule: Sendable {
  /// A fault that is to fire, so much later.
  public struct Firing: Sendable, Hashable {
    /// The index of the fault.
    public let fault: Int
    /// How long after now it fires.
    public let delay: Duration
  }

  private struct Entry {
    let fault: ScheduledFault
    /// The firings by the clock so far.
    var firings = 0
    var generator: SeededGenerator
    var events: OccurrenceCount?
  }

  private var entries: [Entry]

  /// The label of each fault's generator. A seed stands for the draws under this label, so a change
  /// would change every seeded world.
  private static let label = "blow"

  /// The faults of a scenario, with the generator of its random moments.
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

  /// Whether there is nothing to be played.
  public var isEmpty: Bool { entries.isEmpty }

  /// The start: faults that fire by the clock.
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

  /// Something has happened.
  public mutating func happened(_ event: WorldEvent) -> [Firing] {
    entries.indices.compactMap { index in
      guard case .after(let pattern, _, let delay) = entries[index].fault.trigger,
        pattern.matches(event), entries[index].events?.next() == true
      else { return nil }
      return Firing(fault: index, delay: delay)
    }
  }

  /// A fault fires: what is done now and later, and when it fires again.
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

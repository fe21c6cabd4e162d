// A fault of the world, and when it fires.

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

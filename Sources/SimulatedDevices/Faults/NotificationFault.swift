// What becomes of notifications on their way.

/// What happens to everything that a device sends by itself.
public enum NotificationFault: Sendable, Hashable {
  case none
  /// It is not received.
  case lost
  /// It is received twice.
  case doubled
}

// How time passes in a test.

/// The clock of a simulated world.
public enum WorldTime: Sendable {
  /// Time stands still while anything can happen, then jumps: an hour costs nothing, and the same
  /// test gives the same run. The world belongs to the thread that made it: for test functions
  /// without `async`, which make it in their body or in their suite's `init`.
  case virtual
  /// In real time: for `async` tests, and code that has a clock of its own.
  case real
}

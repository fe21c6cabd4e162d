/// The clock of a simulated world.
public enum WorldTime: Sendable {
  /// Virtual time: it advances only when nothing is left to do, so an hour passes at once, and each
  /// run of a test is the same. The world belongs to the thread that created it: use it in test
  /// functions without `async`, and create it there or in the suite's `init`.
  case virtual
  /// Real time: for `async` tests, and for code with its own clock.
  case real
}

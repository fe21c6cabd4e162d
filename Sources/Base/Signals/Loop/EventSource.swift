// Where a loop has its time and its events from.
//
// Two of them: the host's, and one in which time jumps. The queue, the timers and the watches are
// the loop's own.

/// The clock of a loop, and what its driver waits for.
protocol EventSource: AnyObject, Sendable {
  /// The present time.
  var now: Instant { get }

  /// The wall-clock time at the start, since 1970-01-01T00:00:00Z.
  var wallClockAtStart: Duration { get }

  /// Whether the loop may start a thread of its own when nobody blocks; not in virtual time.
  var hasBackgroundThread: Bool { get }

  /// Waits, once, until a descriptor is ready or `earliest` has come or ``wake()`` is called, and
  /// makes the callbacks of ready descriptors. Called by the driver, without the loop's lock.
  func waitForEvents(until earliest: Instant?, for loop: Loop) throws

  /// Makes the callbacks of descriptors that are ready now, without waiting.
  func pollDescriptors(for loop: Loop)

  /// Ends a ``waitForEvents(until:for:)`` that is under way in another thread.
  func wake()

  /// Takes in a change of the watches. Called with the loop's lock held, which it must not take.
  func apply(_ change: WatchTable.Change)

  /// Called before each batch, so that virtual time can bound a run.
  func count(jobs: Int, for loop: Loop) throws
}

// The clock and the descriptor events of a loop.
//
// There are two: those of the host, and virtual time. The queue, the timers and the watches belong
// to the loop.

/// The clock of a loop, and the events that its driver waits for.
protocol EventSource: AnyObject, Sendable {
  /// The present time.
  var now: Instant { get }

  /// The wall-clock time at the start, since 1970-01-01T00:00:00Z.
  var wallClockAtStart: Duration { get }

  /// Whether the loop may start a background thread when no thread drives it; false in virtual
  /// time.
  var hasBackgroundThread: Bool { get }

  /// Waits once, until a descriptor is ready, `earliest` has come, or ``wake()`` is called, and
  /// calls the callbacks of ready descriptors. Called by the driver, without the loop's lock.
  func waitForEvents(until earliest: Instant?, for loop: Loop) throws

  /// Calls the callbacks of descriptors that are ready now, without waiting.
  func pollDescriptors(for loop: Loop)

  /// Ends a ``waitForEvents(until:for:)`` that is running in another thread.
  func wake()

  /// Applies a change of the watches. Called with the loop's lock held, which it must not acquire.
  func apply(_ change: WatchTable.Change)

  /// Counts the jobs of the next batch, so that virtual time can limit the events of a run.
  func count(jobs: Int, for loop: Loop) throws
}

// What a person sees of a run beside what it prints: a status line, or a live plot.

import BlueZ
import Jobs
import Signals

/// The bottom of the terminal while a run is under way. Everything may be called from any thread.
protocol RunScreen: Sendable {
  /// Whether anybody sees it.
  var isShown: Bool { get }
  /// Whether it takes the place of lines for people.
  var replacesLines: Bool { get }

  /// Something else is waited for.
  @Sendable func receive(_ wait: RunWait)
  /// The device's service reports what it does.
  @Sendable func receive(_ notice: ServiceNotice)
  /// A printed event.
  func receive(_ event: RunEvent, at now: Instant)
  /// The connection of a watched device changed.
  func receive(_ change: WatchedLink.Change, of device: String, reconnects: Bool)
  /// Removes what is shown.
  func end()
}

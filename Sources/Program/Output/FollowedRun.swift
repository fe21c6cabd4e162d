// What a run does, gathered for the status line from those who know.

import BlueZ
import Jobs
import Signals

/// The status of one run on its terminal. Without a terminal it does nothing. Everything may be
/// called from any thread.
final class FollowedRun: Sendable {
  private let status: Guarded<RunStatus>
  private let line: StatusLine?

  /// Shows the status from now on, where a terminal has place for it.
  ///
  /// - Parameter printsData: See ``StatusLine``.
  init(in world: World, printsData: Bool) {
    let status = Guarded(RunStatus())
    self.status = status
    line = StatusLine(on: world.loop, isVirtual: world.isVirtual, printsData: printsData) {
      now,
      size in
      [status.withLock { $0.line(at: now, columns: size.columns) }]
    }
  }

  /// Whether anybody sees it.
  var isShown: Bool { line != nil }

  @Sendable func receive(_ wait: RunWait) {
    if isShown { status.withLock { $0.take(wait) } }
  }

  @Sendable func receive(_ notice: ServiceNotice) {
    if isShown { status.withLock { $0.take(notice) } }
  }

  func connected() {
    if isShown { status.withLock { $0.connected() } }
  }

  func receive(_ event: RunEvent, at now: Instant) {
    if isShown { status.withLock { $0.take(event, at: now) } }
  }

  /// Removes the line.
  func end() { line?.end() }
}

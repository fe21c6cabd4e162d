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

/// The status line of one run. Without a terminal only the messages about connections are left.
final class FollowedRun: RunScreen {
  private let status: Guarded<RunStatus>
  private let line: StatusLine?

  /// Shows the status from now on, where a terminal has place for it.
  init(in world: World, printsData: Bool) {
    let status = Guarded(RunStatus())
    self.status = status
    line = StatusLine(on: world.loop, printsData: printsData) {
      now,
      size in
      [status.withLock { $0.line(at: now, columns: size.columns) }]
    }
  }

  var isShown: Bool { line != nil }
  var replacesLines: Bool { false }

  @Sendable func receive(_ wait: RunWait) { status.withLock { $0.take(wait) } }

  @Sendable func receive(_ notice: ServiceNotice) { status.withLock { $0.take(notice) } }

  func receive(_ event: RunEvent, at now: Instant) { status.withLock { $0.take(event, at: now) } }

  /// A message reports it.
  func receive(_ change: WatchedLink.Change, of device: String, reconnects: Bool) {
    if change.isConnected { status.withLock { $0.connected() } }
    switch change {
    case .connected: break
    case .failed(let failure): StandardError.notice("\(failure); trying again")
    case .lost(let failure):
      let next = reconnects ? "; connecting again" : ""
      StandardError.notice("\(device): not connected any more (\(failure.why))\(next)")
    case .reconnected(let time):
      StandardError.notice("\(device): connected again after \(TextReport.milliseconds(time)) s")
    }
  }

  func end() { line?.end() }
}

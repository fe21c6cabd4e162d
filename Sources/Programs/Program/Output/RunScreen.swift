// The display of a run beside its printed lines: a status line, or a live plot.

import BlueZ
import Jobs
import Signals

/// The display at the bottom of the terminal during a run. All methods may be called from any thread.
protocol RunScreen: Sendable {
  /// Whether it is visible.
  var isShown: Bool { get }
  /// Whether it replaces the lines for people.
  var replacesLines: Bool { get }

  /// Called when the run waits for something else.
  @Sendable func receive(_ wait: RunWait)
  /// Called with each notice of the device's service.
  @Sendable func receive(_ notice: ServiceNotice)
  /// Called with each printed event.
  func receive(_ event: RunEvent, at now: Instant)
  /// Called when the connection of a watched device has changed.
  func receive(_ change: WatchedLink.Change, of device: String, reconnects: Bool)
  /// Removes the display.
  func end()
}

/// The status line of one run. Without a terminal, only messages about connections are printed.
final class FollowedRun: RunScreen {
  private let status: Guarded<RunStatus>
  private let line: StatusLine?

  /// Shows the status, if the terminal has room for it.
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

  @Sendable func receive(_ wait: RunWait) { status.withLock { $0.apply(wait) } }

  @Sendable func receive(_ notice: ServiceNotice) { status.withLock { $0.apply(notice) } }

  func receive(_ event: RunEvent, at now: Instant) { status.withLock { $0.apply(event, at: now) } }

  /// Prints a message about the change.
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

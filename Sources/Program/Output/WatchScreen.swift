// What a person sees of a watch beside its records: a status line, or a live plot.

import BlueZ
import Jobs
import Signals

/// The bottom of the terminal while a watch is under way.
enum WatchScreen: Sendable {
  case line(FollowedRun, Loop)
  case plot(LivePlot)

  /// Whether the plot takes the place of the lines for people.
  var isPlot: Bool {
    switch self {
    case .line: false
    case .plot: true
    }
  }

  /// Whether anybody sees it.
  var isShown: Bool {
    switch self {
    case .line(let line, _): line.isShown
    case .plot: true
    }
  }

  @Sendable func receive(_ wait: RunWait) {
    switch self {
    case .line(let line, _): line.receive(wait)
    case .plot(let plot): plot.receive(wait)
    }
  }

  @Sendable func receive(_ notice: ServiceNotice) {
    switch self {
    case .line(let line, _): line.receive(notice)
    case .plot(let plot): plot.receive(notice)
    }
  }

  /// A printed event.
  func receive(_ event: RunEvent) {
    switch self {
    case .line(let line, let loop): line.receive(event, at: loop.now)
    case .plot(let plot): plot.receive(event)
    }
  }

  /// The connection of a device changed. A plot marks it, otherwise a message reports it.
  func receive(_ change: WatchedLink.Change, of device: String, reconnects: Bool) {
    switch self {
    case .plot(let plot): return plot.receive(change, of: device)
    case .line(let line, _): if change.isConnected { line.connected() }
    }
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

  /// Removes what is shown. The last picture of a plot stays, above what follows.
  func end() {
    switch self {
    case .line(let line, _): line.end()
    case .plot(let plot): StandardError.lines(plot.end().joined(separator: "\n"))
    }
  }
}

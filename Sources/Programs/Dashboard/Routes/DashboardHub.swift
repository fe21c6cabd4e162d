// The connection between the model and the browsers.
//
// DashboardModel decides what is sent; each browser's feed has its own bounded queue.

package import Signals
package import WebServer

/// Passes news to the model, and the model's updates to all browsers a few times a second.
package final class DashboardHub: Sendable {
  private struct State {
    var model: DashboardModel
    var feeds: [EventFeed] = []
    var isArmed = false
  }

  /// The time for which news are collected into one update.
  package static let pause = Duration.milliseconds(200)

  private let loop: Loop
  private let state: Guarded<State>

  /// Creates a hub without browsers.
  package init(_ model: DashboardModel, on loop: Loop) {
    self.loop = loop
    state = Guarded(State(model: model))
  }

  private var time: Duration { loop.wallClockAtStart + loop.now.sinceStart }

  /// Applies news to the model, with the current time. Never waits for a browser.
  package func receive(_ news: DashboardNews) {
    let time = time
    let arms = state.withLock { state in
      state.model.apply(news, at: time)
      guard !state.isArmed, !state.feeds.isEmpty else { return false }
      state.isArmed = true
      return true
    }
    if arms { loop.after(Self.pause) { [weak self] in self?.flush() } }
  }

  /// Reads from the model.
  package func read<R: Sendable>(_ body: (DashboardModel) -> R) -> R {
    state.withLock { body($0.model) }
  }

  /// Sends the pending changes to all browsers.
  private func flush() {
    let (update, feeds) = state.withLock { state in
      state.isArmed = false
      return (state.model.flush(), state.feeds)
    }
    if let update { Self.send(update, to: feeds) }
  }

  private static func send(_ update: DashboardUpdate, to feeds: [EventFeed]) {
    guard !feeds.isEmpty else { return }
    let event = ServerEvent("update", data: update.json)
    for feed in feeds { feed.send(event) }
  }

  /// Returns the full state for a new page. Pending changes are sent to the other pages first.
  package func snapshot() -> DashboardUpdate {
    let (update, feeds, snapshot) = state.withLock { state in
      (state.model.flush(), state.feeds, state.model.snapshot)
    }
    if let update { Self.send(update, to: feeds) }
    return snapshot
  }

  /// Returns a feed with the updates from now on, for one browser.
  package func events() -> EventFeed {
    let feed = EventFeed()
    state.withLock { $0.feeds.append(feed) }
    feed.onClose { [weak self, weak feed] in
      self?.state.withLock { state in state.feeds.removeAll { $0 === feed } }
    }
    return feed
  }
}

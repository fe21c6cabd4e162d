// A watch as the page shows it.

import Bluetooth
import Documents
package import Jobs

/// What is watched, and how that goes.
package struct WatchCard: Sendable {
  /// How a watch goes.
  package enum State: String, Sendable {
    case connecting, watching, disconnected, ended, failed
  }

  package let id: Int
  package let plan: WatchPlan
  package var state = State.connecting
  /// Why it connects again, or why it ended.
  package var text = ""
  /// How many values arrived.
  package var count = 0
  /// Why devices are not connected now, by their indexes; empty for those that are still connecting.
  private var absent: [Int: String] = [:]
  /// The devices that were connected once.
  private var begun: Set<Int> = []

  /// Whether it can be stopped.
  package var isUnderWay: Bool {
    switch state {
    case .connecting, .watching, .disconnected: true
    case .ended, .failed: false
    }
  }

  package init(id: Int, plan: WatchPlan) {
    self.id = id
    self.plan = plan
    for index in plan.devices.indices { absent[index] = "" }
  }

  /// The connection of a device changed.
  mutating func take(_ change: WatchedLink.Change, of index: Int) {
    switch change {
    case .connected, .reconnected:
      absent[index] = nil
      begun.insert(index)
    case .lost(let failure), .failed(let failure): absent[index] = failure.description
    }
    state =
      absent.isEmpty ? .watching : begun.isDisjoint(with: absent.keys) ? .connecting : .disconnected
    let reasons = absent.sorted { $0.key < $1.key }.map(\.value).filter { !$0.isEmpty }
    text = reasons.isEmpty ? "" : "connecting again after: \(reasons.joined(separator: "; "))"
  }

  private var source: String {
    switch plan.source {
    case .notify: "notifications"
    case .poll(let period): "read every \(period.written)"
    }
  }

  private var view: String {
    switch plan.view {
    case .values: "values"
    case .combined: "combined values"
    case .rate(let window): "rates in windows of \(window.written)"
    }
  }

  var members: DashboardChange.Members {
    [
      "id": id, "targets": plan.devices.map { $0.json }, "source": source, "view": view,
      "state": state.rawValue,
      "active": isUnderWay, "text": text, "count": count,
    ]
  }
}

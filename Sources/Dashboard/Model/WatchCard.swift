// A watch as the page shows it.

import Bluetooth
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
  /// What it waits for, or why it ended.
  package var text = ""
  /// How many values arrived.
  package var count = 0
  /// The devices that are not connected now, by their indexes.
  var lost: Set<Int> = []

  /// Whether it can be stopped.
  package var isUnderWay: Bool {
    switch state {
    case .connecting, .watching, .disconnected: true
    case .ended, .failed: false
    }
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
    let targets = plan.devices.map { device -> JSONValue in
      .object([
        ("device", .string(device.target.text)),
        ("characteristics", .array(device.characteristics.map { .string("\($0)") })),
      ])
    }
    return [
      ("id", JSONValue(id)), ("targets", .array(targets)), ("source", .string(source)),
      ("view", .string(view)), ("state", .string(state.rawValue)),
      ("active", .boolean(isUnderWay)), ("text", .string(text)), ("count", JSONValue(count)),
    ]
  }
}

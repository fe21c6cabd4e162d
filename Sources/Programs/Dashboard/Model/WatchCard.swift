// The state of a watch on the page.

import Bluetooth
import Documents
package import Jobs
import Reports
import RunEvents

/// A watch and its state.
package struct WatchCard: Sendable {
  /// The state of a watch.
  package enum State: String, Sendable {
    case connecting, watching, disconnected, ended, failed
  }

  package let id: Int
  package let plan: WatchPlan
  package var state = State.connecting
  /// The reason why it is reconnecting or has ended.
  package var text = ""
  /// The number of values that have arrived.
  package var count = 0
  /// The last value of each characteristic as text, in the order of their first values.
  package private(set) var latest: [(attribute: String, text: String)] = []
  /// The devices without a connection, by index, with the reason; empty before the first connection.
  private var absent: [Int: String] = [:]
  /// The devices that have been connected at least once.
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

  /// Applies a change of a device's connection.
  mutating func apply(_ change: WatchedLink.Change, of index: Int) {
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

  /// The most letters of a value that are shown.
  static let longestValue = 200

  /// Adds a value.
  mutating func add(_ value: StepValue, of attribute: String) {
    count += 1
    let text = ColumnText(TextReport.text(value)).cut(to: Self.longestValue)
    if let index = latest.firstIndex(where: { $0.attribute == attribute }) {
      latest[index].text = text
    } else {
      latest.append((attribute, text))
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
    [
      "id": id, "targets": plan.devices.map { $0.json }, "source": source, "view": view,
      "state": state.rawValue,
      "active": isUnderWay, "text": text, "count": count,
      "latest": latest.map { one in
        JSONValue.object([
          .init("characteristic", one.attribute.json), .init("value", one.text.json),
        ])
      },
    ]
  }
}

// The events that dashboard tests feed to a model.

import Bluetooth
import Dashboard
import Documents
import Signals
import Testing

@testable import Jobs

/// A model with a clock that a test moves.
struct Scene {
  static let begun = Duration.seconds(1_000_000_000)

  var model: DashboardModel
  /// Since 1970-01-01T00:00:00Z.
  private(set) var time = begun

  init(chains: [String] = []) {
    let facts = DashboardFacts(
      version: "1", isSimulated: true, hasJournal: true, chains: chains, batches: []
    )
    model = DashboardModel(facts)
  }

  mutating func after(_ duration: Duration) { time += duration }

  mutating func apply(_ news: DashboardNews) { model.apply(news, at: time) }

  static let belt = "HRM-1"

  static func plan(_ characteristic: String = "heart-rate-measurement") throws -> WatchPlan {
    WatchPlan(
      [.init(.name(belt), [try CharacteristicSelector(parsing: characteristic)])],
      source: .notify(SubscriptionOptions())
    )
  }

  /// A value of the first characteristic of a plan, as a watch reports it.
  mutating func value(_ bpm: Int, of id: Int = 1) throws {
    let step = try #require(try Self.plan().series.first).reported
    let octets = [0, UInt8(bpm)]
    let selector = try CharacteristicSelector(parsing: "heart-rate-measurement")
    let decoded = try StepValue.decode(octets, of: selector, format: nil)
    printed(.data(step, .value(StepValue(octets: octets, decoded: decoded))), of: id)
  }

  mutating func printed(_ change: RunEvent.Change, of id: Int = 1) {
    var output = WatchOutput()
    output.printed = event(change)
    apply(.watchOutput(id, output))
  }

  mutating func link(_ change: WatchedLink.Change, of id: Int = 1) {
    var output = WatchOutput()
    output.device = 0
    output.link = change
    apply(.watchOutput(id, output))
  }

  func batch(_ change: BatchEvent.Change) -> BatchEvent {
    BatchEvent(
      batch: RunIdentity(seed: 0, text: "batch"), round: 1, offset: time - Self.begun,
      wallClock: time, change: change
    )
  }

  func event(_ change: RunEvent.Change) -> RunEvent {
    RunEvent(
      run: RunIdentity(seed: 0, text: "a watch"), device: Self.belt, attempt: 1,
      offset: time - Self.begun, wallClock: time, change: change
    )
  }

  static let dropped = RunFailure(
    code: .linkLost, class: .passing, what: "watching", why: "the connection dropped"
  )

  static func advertisement(_ index: Int, rssi: Int?) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(number: 0xC0_FFEE_0000_00 + UInt64(index)), addressType: .random,
      name: "Tag-\(index)", alias: "Tag-\(index)", rssi: rssi, adapter: "hci0"
    )
  }
}

/// The state of a page after some updates, as its script would compute it.
struct PageOfTest {
  var points: [Int: [String]] = [:]
  var minutes: [Int: [Int: String]] = [:]
  var others: [String: String] = [:]
  var marks: [String] = []
  var rssi: [String: [String]] = [:]
  private var ordinal = -1

  mutating func apply(_ update: DashboardUpdate?) throws {
    guard let update, update.ordinal > ordinal else { return }
    ordinal = update.ordinal
    for change in update.changes {
      let node = try Document.parse(change.json.text, file: "a change")
      let text = { (key: String) in node.mapping?.first { $0.key == key }?.value.text ?? "" }
      switch change {
      case .points(let series, let points):
        self.points[series, default: []] += points.map(described)
      case .minutes(let series, let minutes):
        for minute in minutes { self.minutes[series, default: [:]][minute.at] = "\(minute)" }
      case .rssi(let device, let points): rssi[device, default: []] += points.map(described)
      case .mark: marks.append(change.json.text)
      case .gone(let device):
        others["device \(device)"] = nil
        rssi[device] = nil
      case .facts, .scan, .journal, .device, .watch, .series, .run, .step:
        let key = text("address") + text("id") + text("key")
        others["\(text("kind")) \(key)"] = change.json.text
      }
    }
  }

  private func described(_ point: Point) -> String {
    "\(point.at - Int(Scene.begun / .milliseconds(1))) \(point.value.map { "\($0)" } ?? "-")"
  }
}

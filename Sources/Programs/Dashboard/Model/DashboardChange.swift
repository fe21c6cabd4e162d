// The changes that pages receive, and their JSON. A snapshot is a list of changes too.
//
// The page's script, app.js, must read every `kind` of them.

import Bluetooth
package import Documents
import Jobs
package import RunEvents

/// One change for a page. It replaces what the page had of the same object, except that points are added,
/// and minutes replace only those of the same time.
package enum DashboardChange: Sendable {
  case facts(DashboardFacts)
  case scan(ScanState)
  case journal(JournalState)
  case device(NearbyDevice)
  case gone(device: String)
  case rssi(device: String, [Point])
  case watch(WatchCard)
  case series(SeriesCard)
  case points(series: Int, [Point])
  case minutes(series: Int, [Minute])
  case mark(Mark)
  case run(RunCard)
  case step(run: RunKey, StepLine)

  package typealias Members = KeyValuePairs<String, any JSONWritable>

  /// The change as a JSON object with its `kind`.
  package var json: JSONValue {
    switch self {
    case .facts(let facts): Self.object("facts", facts.members)
    case .scan(let scan): Self.object("scan", scan.members)
    case .journal(let journal): Self.object("journal", journal.members)
    case .device(let device): Self.object("device", device.members)
    case .gone(let device): Self.object("gone", ["address": device])
    case .rssi(let device, let points):
      Self.object("rssi", ["address": device, "points": points])
    case .watch(let watch): Self.object("watch", watch.members)
    case .series(let series): Self.object("series", series.members)
    case .points(let series, let points):
      Self.object("points", ["series": series, "points": points])
    case .minutes(let series, let minutes):
      Self.object("minutes", ["series": series, "minutes": minutes])
    case .mark(let mark): Self.object("mark", mark.members)
    case .run(let run): Self.object("run", run.members)
    case .step(let run, let step): Self.object("step", step.members).adding("run", "\(run)".json)
    }
  }

  private static func object(_ kind: String, _ members: Members) -> JSONValue {
    .object([.init("kind", kind.json)] + members.map { .init($0, $1.json) })
  }
}

/// A list of changes with the ordinal of the last one, as a snapshot or as an event.
///
/// A page that has a snapshot ignores later events up to its ordinal.
package struct DashboardUpdate: Sendable {
  package let ordinal: Int
  package let changes: [DashboardChange]

  /// `{"ordinal":7,"changes":[…]}`.
  package var json: String {
    JSONValue(["ordinal": ordinal, "changes": changes.map(\.json)]).text
  }
}

/// The facts that do not change while the program runs.
package struct DashboardFacts: Sendable {
  package let version: String
  package let isSimulated: Bool
  /// Whether values and runs are recorded.
  package let hasJournal: Bool
  /// The chain files that may be run.
  package let chains: [String]
  /// The batch files that may be run.
  package let batches: [String]

  package init(
    version: String, isSimulated: Bool, hasJournal: Bool, chains: [String], batches: [String]
  ) {
    self.version = version
    self.isSimulated = isSimulated
    self.hasJournal = hasJournal
    self.chains = chains
    self.batches = batches
  }

  var members: DashboardChange.Members {
    [
      "version": version, "simulated": isSimulated, "journal": hasJournal, "chains": chains,
      "batches": batches,
    ]
  }
}

/// The state of the scan for nearby devices.
package struct ScanState: Sendable {
  /// The failure; nil while the scan works.
  var failure: RunFailure?

  var members: DashboardChange.Members { ["why": failure?.description] }
}

/// The state of reading the journal.
package struct JournalState: Sendable {
  /// The reason why it cannot be read; nil while it can.
  var failure: String?

  var members: DashboardChange.Members { ["why": failure] }
}

/// A mark on the time axis of the charts.
package struct Mark: Sendable {
  let mark: WatchMark
  /// Milliseconds since 1970-01-01T00:00:00Z.
  let at: Int
  /// The device it belongs to; nil for all.
  let device: String?

  var members: DashboardChange.Members {
    ["mark": mark.kind.rawValue, "at": at, "device": device, "text": mark.text]
  }
}

extension WatchPlan.Device {
  /// The device and its watched characteristics.
  var json: JSONValue {
    JSONValue(["device": target.text, "characteristics": names])
  }
}

extension Duration {
  /// The time in milliseconds since 1970-01-01T00:00:00Z, as the page uses it.
  var milliseconds: Int { Int(self / .milliseconds(1)) }
}

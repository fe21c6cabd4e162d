// `blerun history summary`: the outcomes of several runs, and the devices that failed.

import ArgumentParser
import Documents
import Jobs
import Journal

struct HistorySummary: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary",
    abstract: "Count how runs ended, and which devices failed.",
    discussion: """
      Of a batch that was resumed, the last chain of each device counts.

        blerun history summary --since 7d
        blerun history summary --since 2026-01-31 -d Thermo-1
      """
  )

  @OptionGroup var options: HistoryOptions
  @OptionGroup var selection: RunSelection

  func run() throws {
    let runs = try selection.runs(in: try options.journal.open())
    let summary = RunsSummary(runs, of: selection.device)
    switch options.printing.output {
    case .json: try StandardOutput.show([summary.json])
    case .text: try StandardOutput.show(summary.lines)
    }
  }
}

/// The outcomes of several runs and of their devices.
struct RunsSummary: Equatable {
  struct Device: Equatable {
    let title: String
    var failed = 0
    var chains = 0
    /// The number of failures, by code.
    var codes: [String: Int] = [:]
  }

  /// The number of runs, by state.
  private(set) var states: [String: Int] = [:]
  /// The devices with failures; those with the most first.
  private(set) var failing: [Device] = []
  private(set) var devices = 0
  private(set) var chains = 0

  /// - Parameter device: The only device to count; nil for all.
  init(_ runs: [RunSummary], of device: String? = nil) {
    for run in runs { states[run.state, default: 0] += 1 }
    var all: [String: Device] = [:]
    for run in runs {
      for chain in run.lastChains where device == nil || chain.device == device {
        let title = run.batch?.title(of: chain.device) ?? chain.device
        chains += 1
        all[chain.device, default: Device(title: title)].chains += 1
        guard chain.status == RunEnding.Status.failed.rawValue else { continue }
        all[chain.device]?.failed += 1
        all[chain.device]?.codes[chain.code ?? "unknown", default: 0] += 1
      }
    }
    devices = all.count
    failing = all.values.filter { $0.failed > 0 }.sorted {
      ($1.failed, $0.title) < ($0.failed, $1.title)
    }
  }

  /// Sorts by count, the largest first, then by name.
  private static func ordered(_ counts: [String: Int]) -> [(key: String, count: Int)] {
    counts.map { (key: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.key) < ($0.count, $1.key) }
  }

  private static func list(_ counts: [String: Int]) -> String {
    ordered(counts).map { "\($0.count) \($0.key)" }.joined(separator: ", ")
  }

  /// The summary, `3 runs: 2 ok, 1 failed: link-lost`, then a table of the devices that failed.
  var lines: [String] {
    let runs = states.values.reduce(0, +)
    guard runs > 0 else { return ["no run"] }
    let failed = failing.map(\.failed).reduce(0, +)
    let rows = failing.map { device in
      [device.title, "\(device.failed)", "\(device.chains)", Self.list(device.codes)]
    }
    let table = TextTable(["device", "failed", "of", "why"], rows).lines
    return [
      "\(counted(runs, "run")): \(Self.list(states))",
      "\(counted(chains, "chain")) on \(counted(devices, "device")): \(failed) failed",
    ] + (table.isEmpty ? [] : [""] + table)
  }

  var json: String {
    func objects(_ counts: [String: Int], _ name: String) -> JSONValue {
      .array(
        Self.ordered(counts).map { JSONValue([name: $0.key.json, "count": $0.count.json]) }
      )
    }
    let rows = failing.map { device in
      JSONValue([
        "device": device.title.json, "failed": device.failed.json, "chains": device.chains.json,
        "codes": objects(device.codes, "code"),
      ])
    }
    return EventLine(
      "summary",
      [
        "runs": states.values.reduce(0, +), "states": objects(states, "state"),
        "devices": devices, "chains": chains, "failing": JSONValue.array(rows),
      ]
    ).text
  }
}

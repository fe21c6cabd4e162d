// Batches of a journal as text and as JSON.
//
// The runs on their devices are in RunSummary+Lines.swift.

import Documents
import Jobs
import Journal

extension BatchSummary {
  /// The file of the batch, and the outcomes of its devices.
  ///
  /// - Parameter chains: The last chain of each device.
  func lines(_ chains: [ChainSummary]) -> [String] {
    let round = origin.round > 1 ? ", run \(origin.round)" : ""
    return ["file      \(origin.file)\(round)", "outcome   \(tally(chains))"]
  }

  /// The devices by the outcome of their last chain: `6 devices: 2 ok, 1 failed, 3 not run`.
  private func tally(_ chains: [ChainSummary]) -> String {
    let last = Dictionary(chains.map { ($0.device, $0.status ?? "not ended") }) { $1 }
    let words = ["ok", "failed", "cancelled", "not ended", "not run"]
    let ways = devices.map { last[$0.device] ?? "not run" }
    let counts = words.map { word in (word, ways.count { $0 == word }) }.filter { $0.1 > 0 }
    let parts = counts.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
    return devices.isEmpty ? "no device" : "\(counted(devices.count, "device")): \(parts)"
  }

  /// A row for each device with its last chain: failed ones first, then those that did not end or
  /// begin, then the others.
  func table(_ chains: [ChainSummary]) -> [String] {
    let last = Dictionary(chains.map { ($0.device, $0) }) { $1 }
    let rows = devices.map { member -> (rank: Int, cells: [String]) in
      let chain = last[member.device]
      let state = chain.map { $0.status ?? "not ended" } ?? "not run"
      let took = chain?.took.map { Duration.microseconds($0).decimalSeconds.dropLast(3) }
      return (
        state == "failed" ? 0 : state == "ok" ? 2 : 1,
        [
          title(of: member.device), state + TextReport.warnings(chain?.warnings ?? 0),
          chain.map { "\($0.stepsDone)" } ?? "-", took.map { "\($0) s" } ?? "-",
          chain?.code ?? "",
        ]
      )
    }
    let ordered = rows.enumerated().sorted {
      ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
    }
    return TextTable(["device", "state", "steps", "took", "why"], ordered.map(\.element.cells))
      .lines
  }

  func title(of device: String) -> String {
    DeviceTitle.text(device, name: devices.first { $0.device == device }?.name)
  }

  var jsonValue: JSONValue {
    JSONValue([
      "file": origin.file, "name": origin.name, "digest": origin.digest, "round": origin.round,
      "devices": devices.map(\.device),
    ])
  }
}

extension Resumption {
  /// The time of the resumption, and the first chain after it.
  var line: String { "resumed   \(started), from chain \(chain) on" }
}

// The metrics of runs: name, kind and labels of each, described once.
//
// Their values are in MetricValues.swift.

import RunEvents

/// A metric; its names are those of Prometheus and of OpenMetrics.
enum Metric: CaseIterable, Hashable, Sendable {
  case connects, connectDuration, connections, disconnects
  case operations, notifications, missedNotifications, bytes
  case runs, deviceRuns, runsUnderWay
  case devicesWaiting, freeTurns, rounds, lastEnd, lastSuccess

  /// The name without the prefix `blerun_`, the kind, the labels and the help line.
  struct Description: Sendable {
    enum Kind: Sendable {
      case counter, gauge
      /// Upper bounds of the buckets, in seconds.
      case histogram([Double])

      /// The word on the `# TYPE` line.
      var word: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
      }
    }

    let name: String
    let kind: Kind
    let labels: [String]
    let help: String

    /// The name of the samples.
    var fullName: String { "blerun_\(name)" }

    /// The name of the metric family in a format: of a counter, OpenMetrics has it without `_total`.
    func family(in format: MetricsFormat) -> String {
      switch (format, kind) {
      case (.openMetrics, .counter):
        fullName.hasSuffix(Self.total) ? String(fullName.dropLast(Self.total.count)) : fullName
      case (.openMetrics, .gauge), (.openMetrics, .histogram), (.prometheus, _): fullName
      }
    }

    /// The unit, which a name ends with; nil for a number of things.
    var unit: String? {
      let family = family(in: .openMetrics)
      return ["seconds", "bytes"].first { family.hasSuffix("_\($0)") }
    }

    private static let total = "_total"
  }

  var description: Description {
    switch self {
    case .connects:
      counter("connects_total", ["adapter", "result"], "Attempts to connect, by result.")
    case .connectDuration:
      Description(
        name: "connect_duration_seconds",
        kind: .histogram([0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40]),
        labels: ["adapter"],
        help: "Time of a successful attempt to connect, until the services are resolved."
      )
    case .connections:
      gauge("connections", ["adapter"], "Connections that are up, made by this program.")
    case .disconnects:
      counter("disconnects_total", ["adapter", "reason"], "Ends of connections, by reason.")
    case .operations:
      counter("operations_total", ["operation", "result"], "Steps that ended, by result.")
    case .notifications:
      counter("notifications_total", [], "Notifications and indications received.")
    case .missedNotifications:
      counter("notifications_missed_total", [], "Notifications known to be dropped.")
    case .bytes:
      counter("value_bytes_total", ["direction"], "Bytes of values, received or sent.")
    case .runs:
      counter("runs_total", ["result"], "Runs of chains and tests that ended, by result.")
    case .deviceRuns:
      counter("device_runs_total", ["device", "result"], "Runs that ended, by device and result.")
    case .runsUnderWay:
      gauge("runs_under_way", [], "Runs under way.")
    case .devicesWaiting:
      gauge("batch_devices_waiting", [], "Devices of the round that have not begun.")
    case .freeTurns:
      gauge("batch_free_turns", [], "How many more devices may begin at once.")
    case .rounds:
      counter("batch_rounds_total", ["result"], "Rounds of the batch that ended, by result.")
    case .lastEnd:
      gauge("batch_last_end_timestamp_seconds", [], "When the last round ended, since 1970.")
    case .lastSuccess:
      gauge(
        "batch_last_success_timestamp_seconds",
        [],
        "When the last round ended in which every device succeeded, since 1970."
      )
    }
  }

  private func counter(_ name: String, _ labels: [String], _ help: String) -> Description {
    Description(name: name, kind: .counter, labels: labels, help: help)
  }

  private func gauge(_ name: String, _ labels: [String], _ help: String) -> Description {
    Description(name: name, kind: .gauge, labels: labels, help: help)
  }
}

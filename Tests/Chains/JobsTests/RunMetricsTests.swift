// Metrics of runs and batches, and their text.

import Bluetooth
import Fixtures
import Signals
import Testing

@testable import Jobs

@Suite("Metrics")
struct RunMetricsTests {
  private func lines(
    _ metrics: RunMetrics, _ labels: KeyValuePairs<String, String> = [:]
  ) -> [String] {
    metrics.text(labels).split(separator: "\n").map(String.init)
  }

  @Test("connections are counted by adapter, result and reason, with the time of successful ones")
  func links() {
    var metrics = RunMetrics()
    metrics.take(LinkNews(adapter: nil, .failed(.notFound)))
    metrics.take(LinkNews(adapter: "hci0", .failed(.connectFailed)))
    metrics.take(LinkNews(adapter: "hci0", .connected(after: .milliseconds(300))))
    metrics.take(LinkNews(adapter: "hci0", .connected(after: .seconds(50))))
    metrics.take(LinkNews(adapter: "hci0", .ended(.dropped(.supervisionTimeout))))
    let lines = lines(metrics)
    for line in [
      #"blerun_connects_total{adapter="none",result="not-found"} 1"#,
      #"blerun_connects_total{adapter="hci0",result="connect-failed"} 1"#,
      #"blerun_connects_total{adapter="hci0",result="ok"} 2"#,
      #"blerun_connect_duration_seconds_bucket{adapter="hci0",le="0.25"} 0"#,
      #"blerun_connect_duration_seconds_bucket{adapter="hci0",le="0.5"} 1"#,
      #"blerun_connect_duration_seconds_bucket{adapter="hci0",le="40"} 1"#,
      #"blerun_connect_duration_seconds_bucket{adapter="hci0",le="+Inf"} 2"#,
      #"blerun_connect_duration_seconds_sum{adapter="hci0"} 50.3"#,
      #"blerun_connect_duration_seconds_count{adapter="hci0"} 2"#,
      #"blerun_connections{adapter="hci0"} 1"#,
      #"blerun_disconnects_total{adapter="hci0",reason="supervision-timeout"} 1"#,
    ] {
      #expect(lines.contains(line), "\(line)")
    }
  }

  @Test("each metric has its type and its help once, before its values")
  func headers() {
    var metrics = RunMetrics(byDevice: true)
    metrics.take(LinkNews(adapter: "hci0", .connected(after: .seconds(1))))
    let lines = lines(metrics)
    let names = lines.filter { $0.hasPrefix("# TYPE") }.map { $0.split(separator: " ")[2] }
    #expect(Set(names).count == names.count)
    #expect(lines.filter { $0.hasPrefix("# HELP") }.count == names.count)
    #expect(lines.first == "# HELP blerun_connects_total Attempts to connect, by result.")
  }

  @Test("special characters in batch names are escaped")
  func labels() {
    let lines = lines(RunMetrics(), ["batch": "a\"b\\c\nd\u{1b}"])
    #expect(lines.contains(#"blerun_notifications_total{batch="a\"b\\c\\u{a}d\\u{1b}"} 0"#))
  }

  @Test("a combining mark does not prevent a character from being escaped")
  func marks() {
    let text = RunMetrics().text(["batch": "a\"\u{301}b\\\u{301}"])
    let line = "blerun_notifications_total{batch=\"a\\\"\u{301}b\\\\\u{301}\"} 0\n"
    // Compared by Unicode scalars, because String equality ignores the normalization form.
    #expect(text.unicodeScalars.contains(line.unicodeScalars))
  }

  @Test("batch results are counted; counts by device are optional")
  func batch() throws {
    let plan = try Plan.parse(line: "read battery-level; write alert-level u8:1")
    let devices = ["Tag-1", "Tag-2", "Tag-3"].map { name in
      BatchDevice(label: name, target: .name(name), plan: plan)
    }
    let bench = BatchRunnerTests.Bench(["Tag-2": [BatchRunnerTests.lost]])
    try bench.run(Batch(devices: .listed(devices)))
    var (plain, byDevice) = (RunMetrics(), RunMetrics(byDevice: true))
    for event in bench.told.all.prefix(1) { plain.take(event) }
    #expect(lines(plain).contains("blerun_batch_devices_waiting 3"))
    for event in bench.events.all {
      plain.take(event)
      byDevice.take(event)
    }
    for event in bench.told.all.dropFirst() { plain.take(event) }
    let lines = lines(plain)
    for line in [
      #"blerun_runs_total{result="ok"} 2"#, #"blerun_runs_total{result="failed"} 1"#,
      #"blerun_operations_total{operation="read",result="ok"} 2"#,
      #"blerun_operations_total{operation="read",result="failed"} 1"#,
      #"blerun_value_bytes_total{direction="received"} 2"#,
      #"blerun_value_bytes_total{direction="sent"} 2"#,
      "blerun_runs 0", "blerun_batch_devices_waiting 0", "blerun_batch_free_turns 1",
      #"blerun_batch_rounds_total{result="failed"} 1"#,
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(!plain.text().contains("Tag-"))
    #expect(!plain.text().contains("last_success"))
    #expect(
      byDevice.text().contains(#"blerun_device_runs_total{device="Tag-2",result="failed"} 1"#)
    )
  }
}

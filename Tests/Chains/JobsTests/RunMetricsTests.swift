// Metrics of runs and batches, and their text.

import Bluetooth
import Fixtures
import Signals
import Testing

@testable import Jobs
@testable import Reports

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
    metrics.record(LinkNews(adapter: nil, .failed(.notFound)))
    metrics.record(LinkNews(adapter: "hci0", .failed(.connectFailed)))
    metrics.record(LinkNews(adapter: "hci0", .connected(after: .milliseconds(300))))
    metrics.record(LinkNews(adapter: "hci0", .connected(after: .seconds(50))))
    metrics.record(LinkNews(adapter: "hci0", .ended(.dropped(.supervisionTimeout))))
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
    metrics.record(LinkNews(adapter: "hci0", .connected(after: .seconds(1))))
    let lines = lines(metrics)
    let names = lines.filter { $0.hasPrefix("# TYPE") }.map { $0.split(separator: " ")[2] }
    #expect(Set(names).count == names.count)
    #expect(lines.filter { $0.hasPrefix("# HELP") }.count == names.count)
    #expect(lines.first == "# HELP blerun_connects_total Attempts to connect, by result.")
  }

  @Test(
    "as OpenMetrics: families of counters without _total, units, bounds with a fraction, and an end"
  )
  func openMetrics() {
    var values = MetricValues()
    values.add(to: .connects, "hci0", "ok")
    values.observe(.milliseconds(500), in: .connectDuration, "hci0")
    values.add(7, to: .bytes, "sent")
    values.set(.lastEnd, to: 1.5)
    let text = """
      # TYPE blerun_connects counter
      # HELP blerun_connects Attempts to connect, by result.
      blerun_connects_total{gateway="a",adapter="hci0",result="ok"} 1
      # TYPE blerun_connect_duration_seconds histogram
      # UNIT blerun_connect_duration_seconds seconds
      # HELP blerun_connect_duration_seconds Time of a successful attempt to connect, until the services are resolved.
      blerun_connect_duration_seconds_bucket{gateway="a",adapter="hci0",le="0.1"} 0
      blerun_connect_duration_seconds_bucket{gateway="a",adapter="hci0",le="0.25"} 0
      blerun_connect_duration_seconds_bucket{gateway="a",adapter="hci0",le="0.5"} 1
      blerun_connect_duration_seconds_bucket{gateway="a",adapter="hci0",le="1.0"} 1
      blerun_connect_duration_seconds_bucket{gateway="a",adapter="hci0",le="2.5"} 1
      blerun_connect_duration_seconds_bucket{gateway="a",adapter="hci0",le="5.0"} 1
      blerun_connect_duration_seconds_bucket{gateway="a",adapter="hci0",le="10.0"} 1
      blerun_connect_duration_seconds_bucket{gateway="a",adapter="hci0",le="20.0"} 1
      blerun_connect_duration_seconds_bucket{gateway="a",adapter="hci0",le="40.0"} 1
      blerun_connect_duration_seconds_bucket{gateway="a",adapter="hci0",le="+Inf"} 1
      blerun_connect_duration_seconds_sum{gateway="a",adapter="hci0"} 0.5
      blerun_connect_duration_seconds_count{gateway="a",adapter="hci0"} 1
      # TYPE blerun_value_bytes counter
      # UNIT blerun_value_bytes bytes
      # HELP blerun_value_bytes Bytes of values, received or sent.
      blerun_value_bytes_total{gateway="a",direction="sent"} 7
      # TYPE blerun_batch_last_end_timestamp_seconds gauge
      # UNIT blerun_batch_last_end_timestamp_seconds seconds
      # HELP blerun_batch_last_end_timestamp_seconds When the last round ended, since 1970.
      blerun_batch_last_end_timestamp_seconds{gateway="a"} 1.5
      # EOF

      """
    #expect(values.text(as: .openMetrics, ["gateway": "a"]) == text)
  }

  @Test("no two metrics have one family, in either format, and every counter ends with _total")
  func families() {
    let metrics = Metric.allCases.map(\.description)
    for format in MetricsFormat.allCases {
      let names = metrics.map { $0.family(in: format) }
      #expect(Set(names).count == names.count, "\(format): \(names)")
    }
    for metric in metrics where metric.kind.word == "counter" {
      #expect(metric.fullName == metric.family(in: .openMetrics) + "_total")
    }
  }

  @Test(
    "the format of a request is OpenMetrics where it is named and no less welcome than plain text",
    arguments: [
      ("", MetricsFormat.prometheus),
      ("*/*", .prometheus),
      ("text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8", .prometheus),
      ("text/plain; version=0.0.4", .prometheus),
      ("application/openmetrics-text", .openMetrics),
      ("Application/OpenMetrics-Text ; Version = \"1.0.0\"", .openMetrics),
      ("application/openmetrics-text; version=0.0.1", .prometheus),
      ("application/openmetrics-text; q=0", .prometheus),
      ("application/openmetrics-text; q=x", .prometheus),
      ("application/openmetrics-text; q=0.4, text/plain; q=0.5", .prometheus),
      ("application/openmetrics-text; q=0.5, */*; q=0.5", .openMetrics),
      ("text/plain; version=1.0.0; q=0.9, application/openmetrics-text; q=0.5", .openMetrics),
      (
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
          + "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;q=0.3,"
          + "text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
        .openMetrics
      ),
    ]
  )
  func accepted(accept: String, format: MetricsFormat) {
    #expect(MetricsFormat(accept: accept) == format)
  }

  @Test("a file is OpenMetrics if its name says so")
  func fileNames() {
    #expect(MetricsFormat(fileName: "/var/lib/a.openmetrics") == .openMetrics)
    #expect(MetricsFormat(fileName: "a.openmetrics.prom") == .prometheus)
  }

  @Test("special characters in batch names are escaped")
  func labels() {
    let lines = lines(RunMetrics(), ["batch": "a\"b\\c\nd\u{1b}"])
    #expect(lines.contains(#"blerun_notifications_total{batch="a\"b\\c\\u{a}d\\u{1b}"} 0"#))
    let open = RunMetrics().text(["batch": "a\"b\\c\nd"], as: .openMetrics)
    #expect(open.contains(#"blerun_notifications_total{batch="a\"b\\c\\u{a}d"} 0"#))
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
    for event in bench.told.all.prefix(1) { plain.record(event) }
    #expect(lines(plain).contains("blerun_batch_devices_waiting 3"))
    for event in bench.events.all {
      plain.record(event)
      byDevice.record(event)
    }
    for event in bench.told.all.dropFirst() { plain.record(event) }
    let lines = lines(plain)
    for line in [
      #"blerun_runs_total{result="ok"} 2"#, #"blerun_runs_total{result="failed"} 1"#,
      #"blerun_operations_total{operation="read",result="ok"} 2"#,
      #"blerun_operations_total{operation="read",result="failed"} 1"#,
      #"blerun_value_bytes_total{direction="received"} 2"#,
      #"blerun_value_bytes_total{direction="sent"} 2"#,
      "blerun_runs_under_way 0", "blerun_batch_devices_waiting 0", "blerun_batch_free_turns 1",
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

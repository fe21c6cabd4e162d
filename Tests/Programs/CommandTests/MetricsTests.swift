// `blerun batch --metrics`: the file, its permissions, and the files that it may not replace.

import ArgumentParser
import Bluetooth
import Fixtures
import Foundation
import Jobs
import Signals
import Testing

@testable import Program

@Suite("Batch metrics", .blocking)
struct MetricsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    _ = try folder.tags(3)
    _ = try folder.file(
      "batch.yaml",
      """
      name: Tags
      devices: [ Tag-1, Tag-2, Tag-9 ]
      steps: [ { read: battery-level } ]
      """
    )
  }

  private func batch(_ arguments: String...) throws -> RunningProgram.Ended {
    let command = ["batch", "batch.yaml", "--simulate", "world.yaml"] + arguments
    return try blerun(command, in: folder.path)
  }

  @Test("the file has the results of the batch, and device names only if requested")
  func file() throws {
    #expect(try batch("--metrics", "tags.prom").status == 75)
    let text = try folder.text("tags.prom")
    for line in [
      #"blerun_connects_total{batch="Tags",adapter="hci0",result="ok"} 2"#,
      #"blerun_connects_total{batch="Tags",adapter="hci0",result="not-found"} 1"#,
      #"blerun_connect_duration_seconds_count{batch="Tags",adapter="hci0"} 2"#,
      #"blerun_connections{batch="Tags",adapter="hci0"} 0"#,
      #"blerun_disconnects_total{batch="Tags",adapter="hci0",reason="requested"} 2"#,
      #"blerun_runs_total{batch="Tags",result="ok"} 2"#,
      #"blerun_batch_rounds_total{batch="Tags",result="failed"} 1"#,
    ] {
      #expect(text.contains(line + "\n"), "\(line) in \(text)")
    }
    #expect(!text.contains("Tag-") && !text.contains("C0:FF"))
    #expect(try batch("--metrics", "tags.prom", "--metrics-by-device").status == 75)
    #expect(
      try folder.text("tags.prom").contains(
        #"blerun_device_runs_total{batch="Tags",device="Tag-1",result="ok"} 1"#
      )
    )
  }

  @Test("events soon after a write are written later, but the end of a round immediately")
  func pending() throws {
    let loop = VirtualTimeLoop()
    let end = LoopEnding(loop)
    let path = folder.path + "/m.prom"
    let options = try MetricsOptions.parse(["--metrics", path])
    let file = try #require(try MetricsFile(options, of: ("batch", "B"), on: loop))
    func failures() throws -> String? {
      let lines = try folder.text("m.prom").split(separator: "\n").map(String.init)
      return lines.first { $0.hasPrefix("blerun_connects_total") }
    }
    let series = #"blerun_connects_total{batch="B",adapter="hci0",result="not-found"} "#
    for _ in 1...3 { file.count { $0.record(LinkNews(adapter: "hci0", .failed(.notFound))) } }
    #expect(try failures() == series + "1")
    try loop.run { try await loop.sleep(for: .seconds(6)) }
    #expect(try failures() == series + "3")
    let finished = BatchEvent(
      batch: RunIdentity(seed: 1, text: "b"), round: 1, offset: .zero, wallClock: .seconds(7),
      change: .finished(
        BatchEnding(BatchCounts(), notRun: [], failure: nil, isCancelled: false)
      )
    )
    file.count(finished)
    let last = #"blerun_batch_last_success_timestamp_seconds{batch="B"} 7"#
    #expect(try folder.text("m.prom").contains(last))
    withExtendedLifetime(end) {}
  }

  @Test("promtool accepts the file", .enabled(if: Self.promtool != nil))
  func check() throws {
    #expect(try batch("--metrics", "tags.prom", "--metrics-by-device").status == 75)
    let promtool = try #require(Self.promtool)
    let ended = try shell("\(promtool) check metrics < tags.prom", in: folder.path)
    #expect(ended.status == 0 && ended.output.isEmpty && ended.errors.isEmpty, "\(ended)")
  }

  @Test(
    "a file of the command is not replaced, and a metrics file that cannot be written ends with 74"
  )
  func wrongFiles() throws {
    let over = try batch("--metrics", "batch.yaml")
    #expect(over.status == 2)
    #expect(over.errors.contains("--metrics batch.yaml: that file is read by the command"))
    let twice = try batch("--metrics", "r.xml", "--report", "r.xml")
    #expect(twice.status == 2)
    #expect(try batch("--metrics", "nowhere/tags.prom").status == 74)
    #expect(try batch("--metrics-by-device").status == 2)
  }

  private static var promtool: String? {
    ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }
}

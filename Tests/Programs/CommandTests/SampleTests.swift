// The batch of docs/samples, run as its reader runs it. Python/tests runs all samples with the
// wheel; the one in Swift is built in Tests/Consumer.

import Fixtures
import Foundation
import Testing

@Suite("docs/samples", .blocking)
struct SampleTests {
  private let folder: TemporaryFolder

  /// A copy of the samples, so that nothing is written beside them.
  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      atPath: "\(projectFolder)/docs/samples/batch", toPath: "\(folder.path)/batch"
    )
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/blerun", withDestinationPath: binaryPath
    )
  }

  /// Runs a line of a shell with blerun on the PATH.
  private func run(_ line: String) throws -> RunningProgram.Ended {
    let paths = [folder.path, ProcessInfo.processInfo.environment["PATH"]]
    let own = [
      "PATH": paths.compactMap(\.self).joined(separator: ":"), "XDG_STATE_HOME": folder.path,
    ]
    return try RunningProgram(
      ["sh", "-ec", line], in: folder.path + "/batch",
      environment: ProcessInfo.processInfo.environment.merging(own) { $1 }, limit: .seconds(300)
    ).end()
  }

  private func hasFile(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.path + "/" + name)
  }

  @Test("the batch sample reports the sensor with the low battery and exits as blerun does")
  func batch() throws {
    let ended = try run("./nightly.sh --simulate sensors.yaml")
    #expect(ended.status == 1, "\(ended.output) \(ended.errors)")
    #expect(ended.output.hasPrefix("Some sensors need attention:\n"))
    #expect(ended.output.contains("Soil-2"))
    #expect(hasFile("batch/reports/nightly.html") && hasFile("batch/reports/nightly.csv"))
  }

  @Test("the batch sample prints nothing if all is well, and advice if sensors are out of range")
  func quietBatch() throws {
    let change = "sed -i 's/value: { u8: 7 }/value: { u8: 70 }/' sensors.yaml"
    let ended = try run("\(change); ./nightly.sh --simulate sensors.yaml")
    #expect(ended.status == 0, "\(ended.output) \(ended.errors)")
    #expect(ended.output.isEmpty)
    let away = try run(
      "sed -i 's/name: Soil-2/name: Other/' sensors.yaml; ./nightly.sh --simulate sensors.yaml"
    )
    #expect(away.status == 75, "\(away.output) \(away.errors)")
    #expect(away.output.hasPrefix("Some sensors were out of range"))
  }
}

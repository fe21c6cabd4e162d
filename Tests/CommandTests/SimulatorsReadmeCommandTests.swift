// The commands of docs/simulated-devices.md do what it says.

import Fixtures
import Foundation
import Testing

@Suite("Commands of docs/simulated-devices.md", .blocking)
struct SimulatorsReadmeCommandTests {
  /// What stands between a fence that begins so and its end.
  static func block(_ fence: String) throws -> [String] {
    let text = try String(
      contentsOfFile: "\(packageFolder)/docs/simulated-devices.md",
      encoding: .utf8
    )
    let lines = text.components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix(fence) })
    return Array(lines[(start + 1)...].prefix { $0 != "```" })
  }

  @Test("the first device is checked, looked at, used, and given to another program")
  func lamp() throws {
    let folder = try TemporaryFolder()
    let text = try Self.block("```yaml device lamp.yaml").joined(separator: "\n")
    _ = try folder.file("lamp.yaml", text + "\n")
    let commands = try Self.block("```sh")
    let says = [
      "lamp.yaml: ok", "6c610001-1b1a-4e1c-8f6b-0b6c1d2e3f40", "45.00 °C", "org.bluez.Adapter1",
    ]
    #expect(commands.count == says.count)
    for (command, text) in zip(commands, says) {
      let binary = command.replacingOccurrences(of: "blerun ", with: "'\(binaryPath)' ")
      let run = try RunningProgram(
        ["sh", "-c", binary],
        in: folder.path,
        environment: ProcessInfo.processInfo.environment,
        limit: .seconds(60)
      ).end()
      #expect(run.status == 0, "\(command): \(run.output) \(run.errors)")
      #expect(run.output.contains(text), "\(command): \(run.output)")
    }
  }
}

// docs/firmware.md as its reader follows it: an update, a night with a device that fails, and the
// resumption.

import Bluetooth
import Fixtures
import Testing

@Suite("docs/firmware.md", .blocking)
struct FirmwarePageTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for (name, text) in try Example(in: "docs/firmware.md").files() {
      _ = try folder.file(name, text)
    }
    let body = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 29) }
    let image = MCUbootImage.octets(FirmwareVersion(2, 0, 0), body: body)
    try folder.write(image, to: folder.path + "/app.bin")
  }

  private func blerun(_ arguments: String...) throws -> RunningProgram.Ended {
    try RunningProgram(blerun: arguments, in: folder.path).end()
  }

  @Test("the chain updates the device, and its dry run names the image")
  func update() throws {
    let device = projectFolder + "/Simulators/devices/smp-update.yaml"
    let run = try blerun("run", "update.yaml", "--simulate", device)
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(run.output.contains("before 1.0.0, version 2.0.0, outcome confirmed"), "\(run.output)")
    #expect(run.output.contains("1.0.0 was replaced in "))
    let plan = try blerun("run", "update.yaml", "--dry-run")
    #expect(plan.output.contains("image     app.bin = 2.0.0, "))
  }

  @Test("the values of an upload are in JSON")
  func json() throws {
    let device = projectFolder + "/Simulators/devices/smp-update.yaml"
    let run = try blerun("run", "update.yaml", "--simulate", device, "--output", "json")
    #expect(run.output.contains("\"percent\":100"), "\(run.output)")
  }

  @Test("a night updates all devices but one, and the resumption only that one")
  func night() throws {
    let first = try blerun(
      "batch", "night.yaml", "--simulate", "devices.yaml", "--journal", "night.sqlite",
      "--report", "night.html"
    )
    #expect(first.status == 1, "\(first.output) \(first.errors)")
    #expect(first.output.contains("9 ok"), "\(first.output)")
    #expect(first.output.contains("access denied"))
    let page = try folder.text("night.html")
    for field in ["before", "version", "outcome", "duration"] {
      #expect(page.contains(">firmware \(field)</th>"), "\(field)")
    }
    #expect(page.ranges(of: "<td class=\"value\">confirmed</td>").count == 9)
    let devices = try folder.text("devices.yaml").replacing(", refuses: true", with: "")
    _ = try folder.file("devices.yaml", devices)
    let second = try blerun(
      "batch", "night.yaml", "--simulate", "devices.yaml", "--journal", "night.sqlite", "--resume"
    )
    #expect(second.status == 0, "\(second.output) \(second.errors)")
    #expect(second.output.contains("before: 9 ok"), "\(second.output)")
  }
}

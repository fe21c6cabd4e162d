// The dashboard in a real browser, and its examples. The scenes are in Tests/Browser/dashboard.py.

import Fixtures
import Foundation
import Glibc
import Testing

/// Whether everything that the scenes need is installed.
private let hasBrowser = ["chromium", "chromedriver", "python3"]
  .allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 }

@Suite("The dashboard in a browser", .blocking)
struct DashboardBrowserTests {
  @Test(
    "the dashboard displays and behaves correctly", .onlyInTestAll,
    .enabled(if: hasBrowser, "needs chromium, chromedriver and python3"),
    arguments: [
      "values", "stop", "start", "reload", "note", "absent", "shared", "run", "progress", "batch",
      "fleet", "refused", "day", "missed", "keyboard", "hostile", "phone", "end",
    ]
  )
  func scene(name: String) throws {
    let script = projectFolder + "/Tests/Browser/dashboard.py"
    let ended = try RunningProgram(
      ["/usr/bin/python3", script, binaryPath + "-serve", name], in: projectFolder,
      limit: .seconds(180)
    ).end()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.output == "\(name): ok\n")
  }

  @Test(
    "a flood of notifications takes bounded memory, even if a reader stops",
    .onlyInTestAll,
    .enabled(if: access("/usr/bin/python3", X_OK) == 0, "needs python3")
  )
  func flood() throws {
    let script = projectFolder + "/Tests/Browser/flood.py"
    let ended = try RunningProgram(
      ["/usr/bin/python3", script, binaryPath + "-serve", "2000", "20ms"], in: projectFolder,
      limit: .seconds(180)
    ).end()
    #expect(ended.status == 0, "\(ended.errors) \(ended.output)")
  }

  private static let commands = (try? Example(in: "docs/serve.md").commands) ?? []

  @Test("the documentation has serve examples")
  func examples() { #expect(Self.commands.count == 2) }

  @Test("each example starts as the documentation shows", arguments: commands.indices)
  func example(index: Int) throws {
    let command = Self.commands[index]
    let place = " --listen 127.0.0.1:0 --for 1s"
    let run = try RunningProgram(
      ["sh", "-c", "'\(binaryPath)' " + command.line.dropFirst("blerun ".count) + place],
      in: projectFolder, limit: .seconds(300)
    ).end()
    #expect(run.status == 0, "\(command.line): \(run.errors)")
    let form = { (line: String) in line.replacing(/(:|: )[0-9a-f]{4,}/, with: "#") }
    let lines = run.errors.split(separator: "\n").map { form(String($0)) }
    #expect(lines == command.output.map(form))
  }
}

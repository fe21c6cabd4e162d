// docs/chains.md: its commands print what it says.

import Fixtures
import Foundation
import Testing

@Suite("docs/chains.md", .blocking)
struct ChainsPageTests {
  @Test("every command prints what the page says, to the letter")
  func commands() throws {
    let folder = try TemporaryFolder()
    let page = try Example(in: "docs/chains.md")
    let (files, commands) = (page.files() + page.files("python"), page.commands)
    #expect(files.count >= 9 && commands.count >= 14)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/lib",
      withIntermediateDirectories: true
    )
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/Simulators",
      withDestinationPath: packageFolder + "/Simulators"
    )
    for file in files { _ = try folder.file(file.name, file.text) }
    for command in commands {
      let line = command.line.replacingOccurrences(of: "blerun ", with: "'\(binaryPath)' ")
      let run = try RunningProgram(
        ["sh", "-c", line],
        in: folder.path,
        environment: ProcessInfo.processInfo.environment,
        limit: .seconds(60)
      ).end()
      let note = "blerun: simulated devices, virtual time, seed 0\n"
      let printed = run.output + run.errors.replacingOccurrences(of: note, with: "")
      #expect(printed == command.output.joined(separator: "\n") + "\n", "\(command.line)")
    }
  }
}

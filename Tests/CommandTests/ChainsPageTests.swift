// docs/chains.md: its examples fit the schema's reader, and its commands print what it says.

import Fixtures
import Foundation
import Jobs
import Testing

@Suite("docs/chains.md", .blocking)
struct ChainsPageTests {
  @Test("every command prints what the page says, to the letter")
  func commands() throws {
    let folder = try TemporaryFolder()
    let page = try Example(in: "docs/chains.md")
    let (files, commands) = (page.files(), page.commands)
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

  @Test("every file is one that some command of the page uses, and every step is on the page")
  func files() throws {
    let example = try Example(in: "docs/chains.md")
    let (files, commands) = (example.files(), example.commands)
    for file in files where !file.name.contains("/") {
      #expect(commands.contains { $0.line.contains(" \(file.name)") }, "\(file.name)")
    }
    let page = example.text
    let url = URL(fileURLWithPath: packageFolder + "/docs/chain.schema.json")
    let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
    let keys = Self.keys(schema)
    #expect(keys.count > 60)
    for key in keys.sorted() where !page.contains(key) { Issue.record("\(key) is not there") }
  }

  /// Every key of a chain file, but for formats, and what docs/pairing.md has.
  private static func keys(_ schema: Any) -> Set<String> {
    if let list = schema as? [Any] { return list.reduce(into: []) { $0.formUnion(keys($1)) } }
    guard let object = schema as? [String: Any] else { return [] }
    var found: Set<String> = []
    for (key, value) in object where !["part", "pairing"].contains(key) {
      if key == "properties", let own = value as? [String: Any] {
        found.formUnion(own.keys)
        for inner in own.values { found.formUnion(keys(inner)) }
      } else {
        found.formUnion(keys(value))
      }
    }
    return found
  }
}

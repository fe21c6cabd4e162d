// Pages of the documentation: their commands do what they say, and their links lead somewhere.

import Fixtures
import Foundation
import Testing

@Suite("Documentation pages", .blocking)
struct PageTests {
  /// A folder with the files that the commands of pages name.
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["docs", "Simulators"] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/\(name)",
        withDestinationPath: "\(projectFolder)/\(name)"
      )
    }
  }

  /// Runs a command of a page.
  private func run(_ line: String) throws -> RunningProgram.Ended { try start(line).end() }

  private func start(_ line: String) throws -> RunningProgram {
    try RunningProgram(
      ["sh", "-c", line.replacing("blerun ", with: "'\(binaryPath)' ")],
      in: folder.path,
      environment: ProcessInfo.processInfo.environment,
      limit: .seconds(300)
    )
  }

  @Test("docs/chains.md: every command prints exactly what the page shows")
  func chains() throws {
    let page = try Example(in: "docs/chains.md")
    let (files, commands) = (page.files() + page.files("python"), page.commands)
    #expect(files.count >= 9 && commands.count >= 14)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/lib",
      withIntermediateDirectories: true
    )
    for file in files { _ = try folder.file(file.name, file.text) }
    for command in commands {
      let run = try run(command.line)
      let note = "blerun: simulated devices, virtual time, seed 0\n"
      let printed = run.output + run.errors.replacing(note, with: "")
      #expect(printed == command.output.joined(separator: "\n") + "\n", "\(command.line)")
    }
  }

  @Test(
    "docs/values.md: every description decodes its examples, and every command prints what the page shows"
  )
  func values() throws {
    let page = try Example(in: "docs/values.md")
    let files = page.files()
    #expect(files.count >= 11 && page.commands.count >= 3)
    for file in files { _ = try folder.file(file.name, file.text) }
    for file in files where file.text.contains("examples:") {
      let run = try run("blerun check \(file.name)")
      #expect(run.status == 0, "\(file.name): \(run.errors)")
    }
    for command in page.commands {
      let run = try run(command.line)
      let note = "blerun: simulated devices, virtual time, seed 0\n"
      let printed = run.output + run.errors.replacing(note, with: "")
      #expect(printed == command.output.joined(separator: "\n") + "\n", "\(command.line)")
    }
  }

  @Test("docs/batch.md: each example prints what the page shows")
  func batch() throws {
    let page = try Example(in: "docs/batch.md")
    let names = [
      "evening.yaml", "lamp.yaml", "lamps.yaml", "table.yaml", "found.yaml", "hourly.yaml",
    ]
    let blocks = page.blocks("yaml")
    try #require(blocks.count == names.count)
    for (name, text) in zip(names, blocks) { _ = try folder.file(name, text) }
    _ = try folder.file("lamps.csv", page.blocks("csv")[0])
    #expect(page.commands.count == 7)
    for command in page.commands {
      let run = try run(command.line)
      let shown = command.output.map { $0 + "\n" }.joined()
      #expect(run.output == shown, "\(command.line) \(run.errors)")
    }
  }

  /// In real time: every run has other numbers, and of several devices any may have the first values.
  @Test("docs/watch.md: each command prints what the page shows, but for its numbers")
  func watch() throws {
    let commands = try Example(in: "docs/watch.md").commands
    #expect(commands.count >= 6)
    let running = try commands.map { try start($0.line) }
    let form = { (line: String) in line.replacing(/[0-9a-f]*[0-9][0-9a-f]*/, with: "#") }
    var messages = ""
    for (command, program) in zip(commands, running) {
      let run = program.end()
      #expect(run.status == 0, "\(command.line): \(run.errors)")
      let (lines, shown) = (Set(run.lines.map(form)), Set(command.output.map(form)))
      let isShown = command.line.contains(" -d ") ? lines.isSubset(of: shown) : lines == shown
      #expect(
        isShown && run.lines.count == command.output.count, "\(command.line)\n\(run.output)"
      )
      messages += run.errors
    }
    // The connection of one of the devices drops.
    for text in ["HRM-1: not connected any more", "HRM-1: connected again after "] {
      #expect(messages.contains(text), "\(messages)")
    }
  }

  @Test("docs/page.md: each example writes a page that shows a failure")
  func page() throws {
    let text = try Example(in: "docs/page.md").text
    let commands = text.split(separator: "\n").filter { $0.hasPrefix("    blerun ") }
    #expect(commands.count == 2)
    for command in commands {
      let run = try run(command.trimmingCharacters(in: .whitespaces))
      #expect(run.status == 1, "\(run.errors)")
      let name = try #require(command.split(separator: " ").last)
      let page = try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
      #expect(page.contains("<h2>What went wrong</h2>"))
      // The pictures are of what the page describes.
      let lanes = ["Attempt 1<small>failed</small>", "Connection"]
      #expect(lanes.allSatisfy { page.contains("<div class=\"name\">\($0)</div>") })
    }
  }

  @Test("docs/simulated-devices.md: the first device can be checked, inspected, used and shared")
  func simulatedDevices() throws {
    let page = try Example(in: "docs/simulated-devices.md")
    let device = try #require(page.files().first { $0.name == "device lamp.yaml" })
    _ = try folder.file("lamp.yaml", device.text)
    let commands = page.blocks("sh")[0].split(separator: "\n").map(String.init)
    let says = [
      "lamp.yaml: ok", "6c610001-1b1a-4e1c-8f6b-0b6c1d2e3f40", "45.00 °C", "org.bluez.Adapter1",
    ]
    #expect(commands.count == says.count)
    for (command, text) in zip(commands, says) {
      let run = try run(command)
      #expect(run.status == 0, "\(command): \(run.output) \(run.errors)")
      #expect(run.output.contains(text), "\(command): \(run.output)")
    }
  }

  @Test("docs/index.md: every command runs in order and exits with the documented status")
  func index() throws {
    let page = try Example(in: "docs/index.md")
    for file in page.files() { _ = try folder.file(file.name, file.text) }
    let lines = page.blocks("sh").joined().split(separator: "\n").map(String.init)
    #expect(lines.count >= 14)
    for line in lines {
      let parts = line.components(separatedBy: " # exit status ")
      let status = parts.count == 2 ? Int32(parts[1]) ?? -1 : 0
      try #require(line.hasPrefix("blerun "), "\(line)")
      let run = try run(parts[0])
      #expect(run.status == status, "\(line): \(run.output) \(run.errors)")
    }
    #expect(FileManager.default.fileExists(atPath: folder.path + "/thermometers.html"))
  }

  @Test("docs/testing.md: the table of libraries has each device of the gallery and its release")
  func gallery() throws {
    let folder = projectFolder + "/Simulators/gallery"
    let page = try String(contentsOfFile: projectFolder + "/docs/testing.md", encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.contains("](https://pypi.org/") }
    let pins = try String(contentsOfFile: folder + "/requirements.txt", encoding: .utf8)
      .split(separator: "\n")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasSuffix(".yaml") }
    #expect(files.count == rows.count)
    for file in files {
      #expect(rows.count { $0.contains("| `\(file)`: ") } == 1, "\(file)")
      let test = "test_\(file.replacing("-", with: "_").replacing(".yaml", with: ".py"))"
      #expect(FileManager.default.fileExists(atPath: "\(folder)/\(test)"), "\(test)")
      let check = try blerun("check", "--simulate", "\(folder)/\(file)")
      #expect(check.status == 0, "\(check.errors)")
    }
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let name = cells[0].dropFirst().prefix { $0 != "]" }
      #expect(pins.contains { $0 == "\(name)==\(cells[1])" }, "\(row)")
    }
  }

  @Test("every relative link in the documentation leads to an existing file and heading")
  func links() throws {
    var checked = 0
    for page in try Self.pages() {
      let text = try String(contentsOfFile: page.path, encoding: .utf8)
      for match in text.matches(of: /\]\(([^)\s]+)\)/) {
        let link = String(match.1)
        if link.contains("://") { continue }
        checked += 1
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let target =
          parts[0].isEmpty
          ? page : page.deletingLastPathComponent().appending(path: String(parts[0]))
        guard FileManager.default.fileExists(atPath: target.path) else {
          Issue.record("\(page.lastPathComponent): no file for \(link)")
          continue
        }
        guard parts.count == 2 else { continue }
        let anchors = try Self.anchors(target)
        #expect(anchors.contains(String(parts[1])), "\(page.lastPathComponent): \(link)")
      }
    }
    #expect(checked > 100)
  }

  /// README.md, the documentation, and the pages of the simulators and the lab.
  private static func pages() throws -> [URL] {
    let root = URL(fileURLWithPath: projectFolder)
    let docs = root.appending(path: "docs")
    let found = FileManager.default.enumerator(atPath: docs.path)?.compactMap { $0 as? String }
    return (found ?? []).filter { $0.hasSuffix(".md") }.sorted().map { docs.appending(path: $0) }
      + ["README.md", "Simulators/README.md", "Tests/Lab/README.md"].map {
        root.appending(path: $0)
      }
  }

  /// The anchors of a page's headings, as GitHub and GitLab make them.
  private static func anchors(_ page: URL) throws -> Set<String> {
    var isCode = false
    var anchors: Set<String> = []
    for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode, line.hasPrefix("#") else { continue }
      let title = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
      let kept = title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
      anchors.insert(kept.replacingOccurrences(of: " ", with: "-"))
    }
    return anchors
  }
}

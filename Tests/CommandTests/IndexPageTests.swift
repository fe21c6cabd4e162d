// docs/index.md: its path works as written, and its links lead somewhere.

import Fixtures
import Foundation
import Testing

@Suite("docs/index.md", .blocking)
struct IndexPageTests {
  private let page: Example

  init() throws { page = try Example(in: "docs/index.md") }

  /// The commands of the page, each with the exit status that it names (0 when it names none).
  private var commands: [(line: String, status: Int32)] {
    page.blocks("sh").joined().split(separator: "\n").map { line in
      let parts = String(line).components(separatedBy: " # exit status ")
      return (parts[0], parts.count == 2 ? Int32(parts[1]) ?? -1 : 0)
    }
  }

  @Test("every command runs in order, with the files of the page, and ends with its exit status")
  func path() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/Simulators",
      withDestinationPath: packageFolder + "/Simulators"
    )
    for file in page.files() { _ = try folder.file(file.name, file.text) }
    #expect(commands.count >= 14)
    for command in commands {
      try #require(command.line.hasPrefix("blerun "), "\(command.line)")
      let run = try RunningProgram(
        ["sh", "-c", "'\(binaryPath)' " + command.line.dropFirst("blerun ".count)],
        in: folder.path,
        environment: ProcessInfo.processInfo.environment,
        limit: .seconds(60)
      ).end()
      #expect(run.status == command.status, "\(command.line): \(run.output) \(run.errors)")
    }
    #expect(FileManager.default.fileExists(atPath: folder.path + "/thermometers.html"))
  }

  @Test("every relative link of the documentation leads to a file, and to a heading in it")
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
    let root = URL(fileURLWithPath: packageFolder)
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

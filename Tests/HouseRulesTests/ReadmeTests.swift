// The examples of the README do what it says.

import Fixtures
import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
  private let project = ProjectFolder()
  private let build = BuildFolder()

  /// The only block of a language, in a file of its own while `body` runs.
  private func withBlock(
    _ language: String,
    of page: String = "README.md",
    _ body: (String) throws -> Void
  ) throws {
    let text = try project.file(page).text
    let blocks = text.components(separatedBy: "```\(language)\n").dropFirst()
    let block = try #require(blocks.first?.components(separatedBy: "```").first)
    #expect(blocks.count == 1)
    let place = FileManager.default.temporaryDirectory
      .appending(path: "readme-\(ProcessInfo.processInfo.globallyUniqueString).\(language)")
    try block.write(to: place, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: place) }
    try body(place.path)
  }

  @Test("the chain in the file runs on the simulated thermometer, and prints what the page shows")
  func chain() throws {
    try withBlock("yaml") { file in
      let run = try project.run([
        build.path("blerun"), "run", file, "--simulate", "Simulators/devices/thermometer.yaml",
      ])
      #expect(run.status == 0, "\(run.errors)")
      try withBlock("text") { shown in
        let shown = try String(contentsOfFile: shown, encoding: .utf8)
        #expect(run.output == shown)
      }
    }
  }

  @Test(
    "the chain in Swift compiles against the library products alone",
    arguments: ["README.md", "docs/chains.md"]
  )
  func swift(page: String) throws {
    // The parser of YAML that Documents is made with lies among the packages.
    let yaml = build.url.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "checkouts/Yams/Sources/CYaml/include/module.modulemap")
    let own = try project.files(kinds: ["modulemap"]).map { project.url.appending(path: $0.path) }
    let maps = (own + [yaml]).flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    let flags = try project.run(["pkg-config", "--cflags", "dbus-1"]).output
      .split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
    try withBlock("swift", of: page) { file in
      let command = ["swiftc", "-typecheck", "-swift-version", "6", "-I", build.path("Modules")]
      let run = try project.run(command + maps + flags + [file])
      #expect(run.status == 0, "\(run.errors)")
    }
  }
}

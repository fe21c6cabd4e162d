// The code blocks of a page: as text, as files, and compiled.
//
// The tests of each page decide what its code must do.

import Fixtures
import Foundation

/// The code of one page.
struct PageCode: Sendable {
  private let page: String
  private let project = ProjectFolder()
  private let build = BuildFolder()

  /// - Parameter page: Below the project's folder.
  init(of page: String) { self.page = page }

  /// The blocks of a language, in order.
  ///
  /// - Parameter language: What follows the three backticks on their line.
  func blocks(_ language: String) throws -> [String] {
    try ("\n" + project.text(page)).components(separatedBy: "\n```\(language)\n").dropFirst()
      .map { $0.components(separatedBy: "\n```")[0] + "\n" }
  }

  /// A text in a file of its own while `body` runs.
  func withFile<R>(_ text: String, kind: String, _ body: (String) throws -> R) throws -> R {
    let place = FileManager.default.temporaryDirectory
      .appending(path: "page-\(ProcessInfo.processInfo.globallyUniqueString).\(kind)")
    try text.write(to: place, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: place) }
    return try body(place.path)
  }

  /// Compiles the blocks in Swift as one program, one after the other.
  func typecheckSwift() throws -> RunningProgram.Ended {
    try typecheck(blocks("swift").joined(separator: "\n"))
  }

  /// Compiles code against the built modules.
  func typecheck(_ code: String) throws -> RunningProgram.Ended {
    // The parser of YAML that Documents is made with lies among the packages.
    let yaml = build.url.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "checkouts/Yams/Sources/CYaml/include/module.modulemap")
    let own = project.files(in: "Sources", kind: "modulemap").map {
      project.url.appending(path: $0)
    }
    let maps = (own + [yaml]).flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    let flags = try project.run(["pkg-config", "--cflags", "dbus-1"]).output
      .split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
    return try withFile(code, kind: "swift") { file in
      let command = ["swiftc", "-typecheck", "-swift-version", "6", "-I", build.path("Modules")]
      return try project.run(command + maps + flags + [file])
    }
  }

  /// The blocks of code in the documentation comments of a source, in order.
  func examples() throws -> [String] {
    var examples: [String] = []
    var present: [Substring]?
    for line in try project.text(page).split(separator: "\n") {
      let text = line.drop { $0 == " " }
      switch (text, present) {
      case ("/// ```swift", _): present = []
      case ("/// ```", let block?):
        examples.append(block.joined(separator: "\n"))
        present = nil
      default: present?.append(text.dropFirst("/// ".count))
      }
    }
    return examples
  }
}

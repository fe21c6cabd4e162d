// The project's folder, and its Swift files as the rules read them.

import Fixtures
import Foundation

/// The project's folder on this machine.
struct ProjectFolder: Sendable {
  let url: URL

  /// The one this file was compiled from.
  init() {
    url = URL(filePath: projectFolder)
  }

  /// The text of a file below it.
  func text(_ path: String) throws -> String {
    try String(contentsOf: url.appending(path: path), encoding: .utf8)
  }

  /// The paths below it of all files of a folder with an ending, sorted.
  func files(in folder: String, kind: String = "swift") -> [String] {
    let walk = FileManager.default.enumerator(atPath: url.appending(path: folder).path)
    let paths = walk?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".\(kind)") && !$0.contains(".build") }.sorted()
      .map { "\(folder)/\($0)" }
  }

  /// Every file of a folder in Swift.
  func sources(in folder: String) throws -> [SourceFile] {
    try files(in: folder).map { SourceFile(path: $0, text: try text($0)) }
  }

  /// Runs a program here to its end, with nothing on its standard input.
  ///
  /// - Parameter environment: The whole environment; that of the tests without one.
  func run(
    _ arguments: [String], environment: [String: String]? = nil
  ) throws -> RunningProgram.Ended {
    try RunningProgram(arguments, in: url.path, environment: environment).end()
  }
}

/// A file in Swift.
struct SourceFile: Sendable {
  /// From the project's folder: `Sources/Base/Signals/Loop/EventLoop.swift`.
  let path: String
  let lines: [Substring]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// `Signals` for `Sources/Base/Signals/…`.
  var target: String { String(path.split(separator: "/")[2]) }

  /// The modules of its import lines.
  var imports: [String] {
    let signs = ["import ", "@", "public import ", "package import "]
    return lines.filter { line in signs.contains { line.hasPrefix($0) } }
      .map { $0.split(separator: " ") }.filter { $0.contains("import") }
      .map { String($0[$0.count - 1]) }
  }
}

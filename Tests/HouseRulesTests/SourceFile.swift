// The files of the project as the rules read them.
//
// It reads and masks; what is right or wrong is for the rules.

import Fixtures
import Foundation

/// A text file of the project.
struct SourceFile: Sendable {
  /// Where it lies, from the project's folder: `Sources/Signals/Loop/Loop.swift`.
  let path: String
  let text: String
  /// The text with comments and the contents of string literals blanked, for Swift files.
  let code: String

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
    code = path.hasSuffix(".swift") ? Masking.codeOnly(text) : text
  }

  var name: String { String(path.split(separator: "/").last ?? "") }

  /// `Signals` for `Sources/Signals/…`; empty for a file beside the folders.
  var target: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  var isSwift: Bool { path.hasSuffix(".swift") }
  var isInSources: Bool { path.hasPrefix("Sources/") }
  var isInTests: Bool { path.hasPrefix("Tests/") }

  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  var codeLines: [Substring] { code.split(separator: "\n", omittingEmptySubsequences: false) }

  /// How many lines an editor would show.
  var lineCount: Int { text.hasSuffix("\n") ? lines.count - 1 : lines.count }

  func finding(line: Int, _ problem: String) -> Finding {
    Finding(path: path, line: line, problem: problem)
  }
}

/// A place where a rule is broken.
struct Finding: Equatable, Sendable, CustomStringConvertible {
  let path: String
  /// From 1; 0 when the whole file or folder is meant.
  let line: Int
  let problem: String

  var description: String { line == 0 ? "\(path): \(problem)" : "\(path):\(line): \(problem)" }
}

/// The project's folder on this machine.
struct ProjectFolder: Sendable {
  let url: URL

  /// The one this file was compiled from.
  init() {
    url = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
  }

  /// What lies directly in it, sorted, without what the project ignores.
  func entries() throws -> [Entry] {
    let ignored = [".git", ".swiftpm", "Package.resolved"]
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
    let kept = names.filter { !ignored.contains($0) && !$0.hasPrefix(".build") }
    return try kept.sorted().map {
      let place = url.appending(path: $0)
      let isFolder = try place.resourceValues(forKeys: [.isDirectoryKey]).isDirectory
      return Entry(name: $0, isFolder: isFolder ?? false)
    }
  }

  struct Entry: Equatable, Sendable {
    let name: String
    let isFolder: Bool
  }

  /// Every file with one of these endings or names, sorted by path.
  func files(
    in folders: [String] = ["Sources", "Tests"],
    kinds: [String] = ["swift"]
  ) throws -> [SourceFile] {
    var found: [SourceFile] = []
    for folder in folders {
      let base = url.appending(path: folder)
      guard let walk = FileManager.default.enumerator(atPath: base.path) else { continue }
      let paths = walk.compactMap { $0 as? String }.filter { path in
        let name = path.split(separator: "/").last ?? ""
        let isKind = kinds.contains { name.hasSuffix(".\($0)") || name == $0 }
        return isKind && !path.contains(".build") && !isFolder(base.appending(path: path))
      }
      for path in paths.sorted() {
        let text = try String(contentsOf: base.appending(path: path), encoding: .utf8)
        found.append(SourceFile("\(folder)/\(path)", text))
      }
    }
    return found
  }

  private func isFolder(_ url: URL) -> Bool {
    (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? false
  }

  /// Runs a program here to its end, with nothing on its standard input.
  ///
  /// - Parameter environment: The whole environment; that of the tests without one.
  func run(
    _ arguments: [String],
    environment: [String: String]? = nil
  ) throws -> RunningProgram.Ended {
    try RunningProgram(arguments, in: url.path, environment: environment).end()
  }

  /// A file directly in the project's folder.
  func file(_ name: String) throws -> SourceFile {
    SourceFile(name, try String(contentsOf: url.appending(path: name), encoding: .utf8))
  }
}

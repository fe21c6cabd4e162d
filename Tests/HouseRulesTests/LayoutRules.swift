// What lies where: the project's folder, the targets' folders, the head of each file.

enum LayoutRules {
  static let folders = [
    ".ci", "Packaging", "Simulators", "Sources", "Tests", "debian", "docs",
  ]
  static let files = [
    ".gitignore", ".swift-format", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile",
    "Package.swift", "README.md", "SECURITY.md",
  ]

  /// Packages of their own: their targets are not this package's.
  static let otherPackages = ["Tests/Consumer/", "docs/samples/"]

  /// Nothing else lies in the project's folder.
  static func check(_ entries: [ProjectFolder.Entry]) -> [Finding] {
    entries.filter { !($0.isFolder ? folders : files).contains($0.name) }.map {
      Finding(path: $0.name, line: 0, problem: "has no place in the project's folder")
    }
  }

  /// A source opens with what it is for, then a blank line.
  static func checkHeader(_ file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    let head = file.lines.prefix { $0.hasPrefix("//") }
    guard let first = head.first, first.hasPrefix("// "), first.count > 10 else {
      return [file.finding(line: 1, "does not open with what it is for")]
    }
    if head.count < file.lines.count, !file.lines[head.count].isEmpty {
      return [file.finding(line: head.count + 1, "no blank line after the opening comment")]
    }
    let signs = ["Created by", "Copyright", "Author", "@author"]
    return signs.filter { sign in head.contains { $0.contains(sign) } }.map {
      file.finding(line: 1, "the opening comment says “\($0)”")
    }
  }

  /// Each target has a folder with something in it, and each folder a target.
  static func check(_ package: PackageDescription, files: [SourceFile]) -> [Finding] {
    var findings: [Finding] = []
    for target in package.targets {
      let folder = target.folder
      let own = files.filter { $0.path.hasPrefix(folder + "/") }
      if own.allSatisfy({ $0.name.hasPrefix("Placeholder") || $0.isOnlyComment }) {
        findings.append(Finding(path: folder, line: 0, problem: "an empty target"))
      }
    }
    let known = package.targets.map(\.name)
    var seen: [String] = []
    for file in files where file.isInSources || file.isSwift {
      guard !otherPackages.contains(where: file.path.hasPrefix) else { continue }
      guard !known.contains(file.target), !seen.contains(file.target) else { continue }
      seen.append(file.target)
      findings.append(file.finding(line: 0, "no target has the folder \(file.target)"))
    }
    return findings
  }

  /// No text names a folder of somebody's machine.
  static func checkPaths(_ file: SourceFile) -> [Finding] {
    let roots = ["work", "root", "home", "Users"].map { "/\($0)/" }
    return file.lines.enumerated().flatMap { index, line in
      roots.filter { opensPath($0, in: line) }.map {
        file.finding(line: index + 1, "names a folder of one machine: \($0)")
      }
    }
  }

  /// Whether a path begins with `root`, rather than having it in its middle.
  private static func opensPath(_ root: String, in line: Substring) -> Bool {
    line.ranges(of: root).contains { range in
      guard range.lowerBound > line.startIndex else { return true }
      let before = line[line.index(before: range.lowerBound)]
      return !(before.isLetter || before.isNumber || "._-~})*".contains(before))
    }
  }
}

extension SourceFile {
  fileprivate var isOnlyComment: Bool {
    isSwift && code.allSatisfy { $0.isWhitespace }
  }
}

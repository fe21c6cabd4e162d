// Imports and declared dependencies against the architecture.

/// One `import` line.
struct Import: Equatable, Sendable {
  let module: String
  let line: Int

  /// Every import of a file, whatever its attributes, access or kind.
  static func all(in file: SourceFile) -> [Import] {
    let modifiers = ["public", "package", "internal", "fileprivate", "private"]
    let kinds = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
    return file.codeLines.enumerated().compactMap { index, line in
      var words = line.split(separator: " ")[...]
      while let word = words.first, word.hasPrefix("@") || modifiers.contains(String(word)) {
        words.removeFirst()
      }
      guard words.first == "import", words.count > 1 else { return nil }
      words.removeFirst()
      if let word = words.first, kinds.contains(String(word)) { words.removeFirst() }
      let module = words.first?.split(separator: ".").first.map(String.init) ?? ""
      return Import(module: module, line: index + 1)
    }
  }
}

enum ImportRules {
  /// A source imports only what its part may.
  static func check(_ file: SourceFile, parts: [Part] = Architecture.parts) -> [Finding] {
    guard file.isInSources else { return [] }
    guard let part = parts.first(where: { $0.name == file.target }) else {
      return [file.finding(line: 0, "the architecture has no part \(file.target)")]
    }
    let allowed = part.parts + part.packages + Architecture.system
    return Import.all(in: file).filter { !allowed.contains($0.module) }.map {
      file.finding(line: $0.line, "\(part.name) may not import \($0.module)")
    }
  }

  /// A test imports what its target declares, and the test libraries.
  static func check(test file: SourceFile, in package: PackageDescription) -> [Finding] {
    guard let target = package.target(file.target) else { return [] }
    let allowed = target.dependencyNames + Architecture.forTests
    return Import.all(in: file).filter { !allowed.contains($0.module) }.map {
      file.finding(line: $0.line, "\(target.name) does not declare that it needs \($0.module)")
    }
  }

  /// Every part has a role, no arrow is forbidden, and a target declares only what it imports.
  static func check(_ package: PackageDescription, files: [SourceFile]) -> [Finding] {
    let roles = Architecture.roles.map(\.key)
    return package.targets.filter { !$0.isTest }.flatMap { target -> [Finding] in
      guard roles.contains(target.name) else {
        return [package.finding("the architecture has no part \(target.name)")]
      }
      let imported = files.filter { $0.path.hasPrefix(target.folder + "/") }
        .flatMap { Import.all(in: $0).map(\.module) }
      let idle = target.dependencyNames.filter {
        !imported.contains($0) && !Architecture.inC.contains(target.name)
      }
      return forbiddenArrows(of: target, in: package)
        + idle.map { package.finding("\(target.name) declares \($0) and never imports it") }
    }
  }

  private static func forbiddenArrows(
    of target: PackageDescription.Target,
    in package: PackageDescription
  ) -> [Finding] {
    let reached = package.closure(of: [target.name])
    return Architecture.forbidden.filter { $0.from.contains(target.name) }.flatMap { rule in
      rule.to.filter(reached.contains).map {
        package.finding("\(target.name) must not reach \($0): \(rule.reason)")
      }
    }
  }
}

extension PackageDescription {
  func finding(_ problem: String) -> Finding {
    Finding(path: "Package.swift", line: 0, problem: problem)
  }
}

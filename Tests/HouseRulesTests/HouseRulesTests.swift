// The rules of the project, held against its files as they are.
//
// That each rule can fail is shown beside it, on bad samples.

import Foundation
import Testing

@Suite("House rules")
struct HouseRulesTests {
  private let project = ProjectFolder()

  /// Every Swift file, read once for all rules.
  private static let swift = Result { try ProjectFolder().files() }

  /// One issue for each finding, told as file, line and problem.
  private func expectNone(_ findings: [Finding]) {
    for finding in findings { Issue.record("\(finding)") }
  }

  @Test("every source imports only what the architecture allows its part")
  func imports() throws {
    let files = try Self.swift.get()
    #expect(!files.isEmpty)
    expectNone(files.flatMap { ImportRules.check($0) })
  }

  @Test("every target declares what it may, and nothing that it does not import")
  func dependencies() throws {
    let package = try PackageDescription(of: project)
    let files = try Self.swift.get()
    expectNone(ImportRules.check(package, files: files))
    expectNone(files.filter(\.isInTests).flatMap { ImportRules.check(test: $0, in: package) })
  }

  @Test("the page of the architecture shows the parts and arrows of the manifest")
  func architecturePage() throws {
    let file = project.url.appending(path: "docs/architecture.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    let (begin, end) = ("<!-- parts -->\n", "<!-- end of parts -->")
    let start = try #require(page.range(of: begin)).upperBound
    let stop = try #require(page.range(of: end)).lowerBound
    let table = Architecture.table()
    if ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil {
      let new = page.replacingCharacters(in: start..<stop, with: table)
      try new.write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(page[start..<stop] == table, "UPDATE_GENERATED=1 swift test --filter HouseRules")
    }
  }

  @Test("files and functions keep to their lengths")
  func sizes() throws {
    let files = try Self.swift.get() + project.files(kinds: ["c", "h"])
    expectNone(files.flatMap { SizeRules.checkFile($0) })
    expectNone(files.filter(\.isSwift).flatMap { SizeRules.checkFunctions($0) })
  }

  @Test("no source uses a forbidden name outside the listed places")
  func forbiddenNames() throws {
    expectNone(try NameRules.check(Self.swift.get().filter(\.isInSources)))
  }

  @Test("no type, file or folder is named with a word that says nothing")
  func emptyWords() throws {
    expectNone(try Self.swift.get().flatMap { WordRules.check($0) })
  }

  @Test("no switch over an enumeration of the project has a default")
  func silentDefaults() throws {
    let sources = try Self.swift.get().filter(\.isInSources)
    let cases = EnumCases(in: sources)
    #expect(cases.names.count > 500)
    let findings = sources.flatMap { DefaultRules.check($0, cases: cases) }
    expectNone(findings)
  }

  @Test("no source uses words that the glossary replaces, nor does a page outside the list")
  func words() throws {
    let rules = try GlossaryRules()
    let sources = try Self.swift.get().filter(\.isInSources)
    expectNone(sources.flatMap { rules.check($0) })
    let pages = try project.files(in: ["docs", "Simulators"], kinds: ["md"])
    let beside = try ["CONTRIBUTING.md", "README.md", "SECURITY.md"].map { try project.file($0) }
    let all = pages + beside
    expectNone(all.filter { !GlossaryRules.isExcepted($0.path) }.flatMap { rules.check($0) })
  }

  @Test("tests that start programs run on threads of their own")
  func blocking() throws {
    let tests = try Self.swift.get().filter(\.isInTests)
    #expect(tests.contains { $0.code.contains(".blocking") })
    expectNone(tests.flatMap { BlockingRules.check($0) })
  }

  @Test("the project's folder holds the known files and folders, and no others")
  func topLevel() throws {
    expectNone(try LayoutRules.check(project.entries()))
  }

  @Test("every source and test opens with what it is for")
  func headers() throws {
    expectNone(try Self.swift.get().flatMap { LayoutRules.checkHeader($0) })
  }

  @Test("no target is empty, and no folder without a target")
  func targets() throws {
    let files = try Self.swift.get() + project.files(kinds: ["c", "h", "modulemap"])
    expectNone(LayoutRules.check(try PackageDescription(of: project), files: files))
  }

  @Test("no file names a folder of one machine")
  func machinePaths() throws {
    let files = try project.files(
      in: ["Sources", "Tests", "Simulators", "docs", ".ci"],
      kinds: [
        "c", "h", "md", "yaml", "json", "py", "run", "set-up", "setup", "guest-init",
        "chains",
      ]
    )
    let beside = try LayoutRules.files.map { try project.file($0) }
    expectNone(try (Self.swift.get() + beside + files).flatMap { LayoutRules.checkPaths($0) })
  }

  @Test("only the executable links libbluetooth")
  func libbluetooth() throws {
    let package = try PackageDescription(of: project)
    expectNone(LinkRules.check(package))
    expectNone(try LinkRules.check(package, built: BuildFolder()))
  }
}

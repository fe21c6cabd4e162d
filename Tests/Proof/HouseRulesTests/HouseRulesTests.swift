// Rules for the sources that the compiler does not check. Text is searched, not parsed.

import Fixtures
import Foundation
import Testing

@Suite("House rules", .blocking)
struct HouseRulesTests {
  private static let sources = Result { try ProjectFolder().sources(in: "Sources") }
  private static let package = Result { try PackageDescription(of: ProjectFolder()) }

  // MARK: Arrows

  /// Arrows between targets that must never exist, also not through others.
  private static let forbidden: [(from: [String], to: [String], reason: String)] = [
    (
      ["BlueZSimulator"], ["BlueZ"],
      "a simulator that shares code with the client would share its mistakes"
    ),
    (
      ["BlueZ", "BlueZInterfaces"], ["BlueZSimulator", "SimulatedDevices"],
      "the client must not know whether its devices are real"
    ),
    (
      [
        "Bluetooth", "Dashboard", "Documents", "Jobs", "Journal", "NordicSuites",
        "SimulatedDevices",
      ],
      ["DBus"], "chains and devices know Bluetooth, not the way that BlueZ offers it"
    ),
    (
      ["RunEvents", "Reports", "Journal"], ["Jobs"],
      "what was done is reported and kept without the language in which it was asked for"
    ),
    (["Signals"], ["Bluetooth", "Documents", "DBus"], "signals are for any program"),
  ]

  @Test("no target depends on a target that is forbidden to it", arguments: forbidden.indices)
  func arrows(index: Int) throws {
    let package = try Self.package.get()
    let (from, to, reason) = Self.forbidden[index]
    for name in from {
      try #require(package.targets.contains { $0.name == name }, "there is no \(name)")
      let reached = package.closure(of: [name]).filter(to.contains)
      #expect(reached.isEmpty, "\(name) reaches \(reached): \(reason)")
    }
  }

  @Test("a target depends only on targets of its own floor and of those below it")
  func floors() throws {
    let floors = [
      "System", "Base", "Bluetooth", "Bus", "Host", "Simulator", "Chains", "Fleet", "Programs",
      "Proof",
    ]
    var heights: [String: Int] = [:]
    let targets = try Self.package.get().targets.filter {
      $0.type != "test" && $0.name != "Fixtures"
    }
    for target in targets {
      let folders = try #require(target.path).split(separator: "/").map(String.init)
      try #require(folders.count == 3 && folders[0] == "Sources" && folders[2] == target.name)
      heights[target.name] = floors.firstIndex(of: folders[1])
      #expect(heights[target.name] != nil, "\(folders[1]) is no floor")
    }
    for target in targets {
      for name in target.dependencyNames {
        let height = heights[name] ?? 0
        #expect(height <= heights[target.name] ?? 0, "\(target.name) depends on \(name) above it")
      }
    }
  }

  @Test(
    "no library depends on libbluetooth, which is under the GPL, nor on libcrypto",
    arguments: ["CBluetooth", "CCrypto"]
  )
  func programs(module: String) throws {
    let package = try Self.package.get()
    #expect(package.closure(of: ["blerun"]).contains(module))
    for product in package.products where product.isLibrary {
      #expect(!package.closure(of: product).contains(module), "\(product.name)")
    }
  }

  @Test("a source imports only the targets that the manifest allows for its own")
  func imports() throws {
    let package = try Self.package.get()
    let own = Set(package.targets.map(\.name))
    let allowed = package.targets.map { ($0.name, Set($0.dependencyNames)) }
    let dependencies = Dictionary(uniqueKeysWithValues: allowed)
    for file in try Self.sources.get() {
      let wrong = Set(file.imports).intersection(own)
        .subtracting(dependencies[file.target] ?? [])
      #expect(wrong.isEmpty, "\(file.path)")
    }
  }

  // MARK: Defaults

  @Test("no switch over an enumeration of the project has a default")
  func defaults() throws {
    let sources = try Self.sources.get()
    let cases = DeclaredCases(in: sources)
    #expect(cases.names.count > 500)
    for file in sources {
      for (line, name) in cases.silentDefaults(in: file) {
        Issue.record(
          """
          \(file.path):\(line): a default beside .\(name): list the cases, or state after \
          '// open:' why the set is open
          """
        )
      }
    }
  }

  // MARK: Tests

  @Test("tests that start programs run on threads of their own")
  func blocking() throws {
    let waiting = ["RunningProgram(", "blerun(", "PrivateDaemon(", "SimulatedHost("]
    for file in try ProjectFolder().sources(in: "Tests")
    where !file.path.hasPrefix("Tests/Fixtures/") {
      guard file.lines.contains(where: { line in waiting.contains { line.contains($0) } }) else {
        continue
      }
      for line in file.lines where line.hasPrefix("@Suite(") && line.hasSuffix(")") {
        #expect(line.contains(".blocking"), "\(file.path): a suite lacks .blocking")
      }
    }
  }
}

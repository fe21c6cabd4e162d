// The chain of the README does what it says, and the examples in Swift of other pages compile.

import Fixtures
import Foundation
import Testing

@Suite("README", .blocking)
struct ReadmeTests {
  private let project = ProjectFolder()
  private let build = BuildFolder()
  private let page = PageCode(of: "README.md")

  @Test("the chain in the file runs on the simulated thermometer, and prints what the page shows")
  func chain() throws {
    let chains = try page.blocks("yaml")
    #expect(chains.count == 1)
    try page.withFile(try #require(chains.first), kind: "yaml") { file in
      let run = try project.run([
        build.path("blerun"), "run", file, "--simulate", "Simulators/devices/thermometer.yaml",
      ])
      #expect(run.status == 0, "\(run.errors)")
      #expect([run.output] == (try page.blocks("text")))
    }
  }

  @Test(
    "the code in Swift compiles against the library products alone",
    arguments: ["docs/chains.md", "docs/swift.md"]
  )
  func swift(page: String) throws {
    let code = PageCode(of: page)
    #expect(try !code.blocks("swift").isEmpty)
    let run = try code.typecheckSwift()
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test("the examples in documentation comments compile with the devices and worlds they name")
  func examples() throws {
    let modules = [
      "BLETesting", "BlueZ", "BlueZInterfaces", "BlueZSimulator", "Bluetooth", "DBus", "Documents",
      "Jobs", "Signals", "SimulatedDevices",
    ]
    let parameters = [
      "thermometer: any Device", "keyRing: any Device", "device: any Device",
      "sensor: any Device", "devices: [any Device]", "connection: DeviceConnection",
      "world: SimulatedWorld", "plan: Plan", "advertisement: Advertisement",
      "client: BlueZClient", "bus: MessageBus",
      "steering: Steering", "keys: BindKeys",
    ].joined(separator: ", ")
    var code = modules.map { "import \($0)" }
    // The examples of Signals name the signals that they work on.
    let sources = project.files(in: "Sources").filter { !$0.hasPrefix("Sources/Base/Signals/") }
    for source in sources {
      for example in try PageCode(of: source).examples() {
        let effects = example.contains("await ") ? "async throws" : "throws"
        let isDeclaration = example.hasPrefix("extension ")
        code.append(
          "// \(source)\n"
            + (isDeclaration
              ? example : "func example\(code.count)(\(parameters)) \(effects) {\n\(example)\n}")
        )
      }
    }
    #expect(code.count > modules.count + 100)
    let run = try page.typecheck(code.joined(separator: "\n"))
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test("Signals compiles no other target, and a library product at most Yams from other packages")
  func packages() throws {
    let package = try PackageDescription(of: project)
    let signals = try #require(package.products.first { $0.name == "Signals" })
    #expect(package.closure(of: signals) == ["CLinux", "Signals"])
    // The table of docs/swift.md.
    for product in package.products where product.isLibrary {
      let needsFiles = ["Documents", "Jobs", "BLETesting"].contains(product.name)
      #expect(package.packages(of: product) == (needsFiles ? ["Yams"] : []), "\(product.name)")
    }
  }

  @Test("the manifest of docs/swift.md is valid, and names library products of this package")
  func manifest() throws {
    let manifests = try PageCode(of: "docs/swift.md").blocks("swift manifest")
    #expect(manifests.count == 1)
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "manifest-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Package.swift")
    try #require(manifests.first).write(to: file, atomically: true, encoding: .utf8)
    let package = try PackageDescription(in: folder)
    let libraries = try PackageDescription(of: project).products.filter(\.isLibrary).map(\.name)
    let own = package.targets.map(\.name)
    let used = package.targets.flatMap(\.dependencyNames).filter { !own.contains($0) }
    #expect(!used.isEmpty)
    #expect(Set(used).isSubset(of: libraries), "\(used) of \(libraries)")
  }
}

// The examples of docs/testing.md do what the page says. Those in Swift are tested in Tests/Consumer.

import Fixtures
import Foundation
import Testing

@Suite("docs/testing.md", .blocking)
struct TestingPageTests {
  private let page: Example
  private let folder: TemporaryFolder

  init() throws {
    page = try Example(in: "docs/testing.md")
    folder = try TemporaryFolder()
    _ = try folder.file("thermometer.yaml", page.blocks("yaml")[0])
  }

  /// A Python with bleak and pytest: one that was named, the lab's (Tests/Lab/setup), or any.
  static let python: String? = {
    let environment = ProcessInfo.processInfo.environment
    let lab = (environment["HOME"] ?? "") + "/.cache/bluez-lab/venv/bin/python3"
    return [environment["BLERUN_TEST_PYTHON"], lab, "python3"].compactMap(\.self).first { python in
      let program = [python, "-c", "import bleak, pytest"]
      return (try? RunningProgram(program, in: projectFolder).end().status) == 0
    }
  }()

  @Test(
    "the example for pytest passes with bleak",
    .enabled(if: python != nil, "needs a Python with bleak and pytest: Tests/Lab/setup makes one"),
    .enabled(if: SteeredSimulationTests.has("busctl"), "needs busctl (systemd)")
  )
  func pytest() throws {
    let python = try #require(Self.python)
    _ = try folder.file("test_thermometer.py", page.blocks("python")[0])
    let run = try blerun(
      [
        "simulate", "thermometer.yaml", "--control", "--", python, "-m", "pytest", "-p",
        "no:cacheprovider", "test_thermometer.py",
      ],
      in: folder.path
    )
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(run.output.contains("3 passed"))
  }

  @Test(
    "the tests of the Python peripheral pass with bleak",
    .enabled(if: python != nil, "needs a Python with bleak and pytest: Tests/Lab/setup makes one"),
    .enabled(if: SteeredSimulationTests.has("busctl"), "needs busctl (systemd)")
  )
  func peripheral() throws {
    let python = try #require(Self.python)
    _ = try folder.file("room.yaml", page.blocks("yaml")[1])
    _ = try folder.file("lamp.py", page.blocks("python")[1])
    _ = try folder.file("test_lamp.py", page.blocks("python")[2])
    let run = try blerun(
      [
        "simulate", "room.yaml", "--control", "--", python, "-m", "pytest", "-p",
        "no:cacheprovider", "test_lamp.py",
      ],
      in: folder.path
    )
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(run.output.contains("2 passed"))
  }

  @Test(
    "the example for a shell passes with bluetoothctl and busctl",
    .enabled(
      if: SteeredSimulationTests.has("busctl", "bluetoothctl"),
      "needs busctl (systemd) and bluetoothctl (bluez)"
    )
  )
  func shell() throws {
    _ = try folder.file("thermometer.sh", page.blocks("sh")[0])
    let run = try blerun(
      ["simulate", "thermometer.yaml", "--", "sh", "thermometer.sh"], in: folder.path
    )
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(run.output.contains("ay 1 87"))
  }

  @Test("the examples in Swift are those that Tests/Consumer builds and runs")
  func swift() throws {
    func file(_ name: String) throws -> String {
      let path = projectFolder + "/Tests/Consumer/" + name
      return try String(contentsOfFile: path, encoding: .utf8)
    }
    let blocks = page.blocks("swift")
    let device = try file("Tests/ThermometerTests/thermometer.yaml")
    #expect(blocks[1] == (try file("Tests/ThermometerTests/ThermometerTests.swift")))
    #expect(page.blocks("yaml").first == device)
    // The page names the products of the package, whatever its indentation.
    let package = try file("Package.swift")
    let products = blocks[0].split(separator: "\n").filter { $0.contains(".product(") }
    #expect(products.count == 3)
    for product in products { #expect(package.contains(product)) }
  }
}

// Pages of long, strange and hostile runs in a real browser. The scenes are in Tests/Browser/report.py.

import Fixtures
import Foundation
import Glibc
import Testing

@testable import Jobs

/// Whether everything that the scenes need is installed.
private let hasBrowser = ["chromium", "chromedriver", "python3"]
  .allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 }

@Suite("Pages in a browser", .blocking)
struct PageBrowserTests {
  /// The pages that a scene needs, by the names of their files.
  private static func pages(_ scene: String) throws -> [(name: String, page: String)] {
    switch scene {
    case "steps": [("steps", PageEvents.page([try PageEvents.long(9_990)]))]
    case "values": [("values", PageEvents.page([try PageEvents.values(100_000)]))]
    case "odd": [("odd", PageEvents.page(try PageEvents.odd()))]
    case "devices":
      [("devices", PageEvents.page(try deviceNames.map { try PageEvents.long(2, on: $0) }))]
    case "hostile": [("hostile", PageEvents.page(try PageEvents.hostile()))]
    // printing, and a phone
    default:
      [
        ("run", PageEvents.page([try PageEvents.long(600)])),
        ("batch", PageEvents.page(try PageEvents.odd() + [try PageEvents.long(30)])),
      ]
    }
  }

  private static let deviceNames = [
    "Hall-10", "Hall-9", "Yard-1", "Hall-8", "Hall-7", "Hall-6", "Hall-5", "Hall-4",
  ]

  @Test(
    "the page displays and behaves correctly in a browser",
    .enabled(if: hasBrowser, "needs chromium, chromedriver and python3"),
    // The others take long.
    arguments: ["hostile"]
      + (testsEverything ? ["steps", "values", "odd", "devices", "paper", "phone"] : [])
  )
  func scene(name: String) throws {
    let folder = try TemporaryFolder()
    for (file, page) in try Self.pages(name) {
      try page.write(toFile: "\(folder.path)/\(file).html", atomically: false, encoding: .utf8)
    }
    let ended = try RunningProgram(
      ["/usr/bin/python3", projectFolder + "/Tests/Browser/report.py", folder.path, name],
      in: folder.path, limit: .seconds(300)
    ).end()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.output == "\(name): ok\n")
  }
}

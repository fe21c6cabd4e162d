// The page of runs in a browser, where there is one: its script runs, and nothing else does.

import Fixtures
import Foundation
import Glibc
import Testing

/// Where a browser is; nil without one.
private let browser: String? = ["chromium", "chromium-browser", "google-chrome"]
  .map { (name: String) -> String in "/usr/bin/\(name)" }
  .first { (path: String) in access(path, X_OK) == 0 }

@Suite(
  "Reports in a browser",
  .blocking,
  .onlyInTestAll,
  .enabled(if: browser != nil, "needs chromium")
)
struct ReportBrowserTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes a page of a batch on devices with such names, and reads it in a browser.
  ///
  /// - Parameter query: What stands behind `?` in the address.
  /// - Returns: The document after its script has run.
  private func open(_ names: [String], query: String = "") throws -> String {
    let browser = try #require(browser)
    let devices = names.enumerated().map { index, name in
      """
      name: \(quoted(name))
      address: C0:FF:EE:00:55:0\(index)
      services:
        - service: battery
          characteristics:
            - { characteristic: battery-level, properties: [read], value: { u8: \(30 + 10 * index) } }
        - service: device-information
          characteristics:
            - characteristic: model-number-string
              properties: [read]
              value: { utf8: \(quoted(name)) }
      """
    }
    let files = try devices.enumerated().map { try folder.file("d\($0).yaml", $1) }
    let chain = try folder.file(
      "batch.yaml",
      """
      name: \(quoted(names[0]))
      devices: [ \(names.map(quoted).joined(separator: ", ")) ]
      steps:
        - { read: model-number-string }
        - { read: battery-level, expect: { percent: { below: 55 } } }
      """
    )
    let page = folder.path + "/page.html"
    let run = try blerun(
      ["batch", chain, "--report", page] + files.flatMap { ["--simulate", $0] }
    )
    #expect(run.status == 1, "\(run.errors)")
    let ended = try RunningProgram(
      [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
        "--user-data-dir=\(folder.path)/profile", "--dump-dom", "file://\(page)\(query)",
      ],
      in: folder.path
    ).end()
    #expect(ended.status == 0, "\(ended.errors)")
    let complaints = ended.errors.split(separator: "\n").filter { $0.contains("CONSOLE") }
    #expect(complaints.isEmpty, "\(complaints)")
    #expect(ended.output.contains("data-ready=\"true\""))
    return ended.output
  }

  private func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      scalar.value < 0x7f && scalar != "\"" && scalar != "\\"
        ? String(scalar) : "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
    }
    return "\"\(escaped.joined())\""
  }

  private static let names = [
    "Hall-10", "Hall-9", "Yard-1", "Hall-8", "Hall-7", "Hall-6", "Hall-5", "Hall-4",
  ]

  /// The names in the table of devices, in its order; of hidden rows without their sections.
  private func devices(_ document: String) -> [(name: String, isHidden: Bool)] {
    document.components(separatedBy: "<tr data-section=").dropFirst().map { row in
      let name = row.components(separatedBy: "\">")[3].components(separatedBy: "<")[0]
      return (name, row.prefix { $0 != ">" }.contains("hidden"))
    }
  }

  @Test("the script runs under the page's own policy, and sorts names as people do")
  func sorted() throws {
    let document = try open(Self.names, query: "?sort=1")
    #expect(document.contains("aria-sort=\"ascending\""))
    let sorted = ["Hall-4", "Hall-5", "Hall-6", "Hall-7", "Hall-8", "Hall-9", "Hall-10", "Yard-1"]
    #expect(devices(document).map(\.name) == sorted)
    let reversed = try open(Self.names, query: "?sort=-1")
    #expect(devices(reversed).map(\.name) == sorted.reversed())
  }

  @Test("a filter in the address shows only what has the text, in the table and in the sections")
  func filtered() throws {
    let document = try open(Self.names, query: "?filter=YARD")
    #expect(devices(document).filter { !$0.isHidden }.map(\.name) == ["Yard-1"])
    #expect(document.components(separatedBy: "<section class=\"run\"").count == 9)
    let hidden = document.components(separatedBy: "<section class=\"run\"").dropFirst().count {
      $0.prefix { $0 != ">" }.contains("hidden")
    }
    #expect(hidden == 7)
    #expect(document.contains("1 of 8"))
  }
}

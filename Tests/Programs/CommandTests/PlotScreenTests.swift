// A live plot on a terminal, as tmux captures it: drawing, keys, sizes, and what is left behind.

import Fixtures
import Foundation
import Glibc
import Testing

@Suite("A live plot in a terminal", .blocking)
struct PlotScreenTests {
  private static let belt =
    "watch HRM-1 heart-rate-measurement --field bpm --plot "
    + "--simulate Simulators/devices/heart-rate.yaml"

  /// The rows of the plot's axis and of its first title, where it is shown as a whole.
  private static func isPlotted(_ lines: [String]) -> Bool {
    lines.contains { $0.hasPrefix("heart-rate-measurement ") && $0.contains("  min ") }
      && lines.contains { $0.hasPrefix("      UTC |") || $0.contains("UTC ") }
  }

  @Test(
    "the plot fits the terminal, even after a resize; a note is marked; q ends it",
    arguments: [(80, 24, "C.UTF-8"), (50, 14, "C"), (132, 40, "C.UTF-8")]
  )
  func sizes(columns: Int, rows: Int, locale: String) throws {
    try Screen.play {
      let screen = try Screen(
        Self.belt, columns: columns, rows: rows, environment: ["LC_ALL": locale]
      )
      let first = try screen.wait(for: "a plot") { Self.isPlotted($0) }
      #expect(first.allSatisfy { $0.count < columns }, "\(first)")
      let isBraille = first.joined().unicodeScalars.contains {
        (0x2800...0x28ff).contains($0.value)
      }
      #expect(isBraille == (locale != "C"))
      #expect(first.contains { $0.hasSuffix(" C  HRM-1: connected") }, "\(first)")
      try screen.press("n")
      try screen.wait(for: "note at ")
      try screen.type("window open")
      try screen.press("Enter")
      try screen.wait(for: " N  window open")
      try screen.resize(columns: 100, rows: 20)
      try screen.wait(for: "a plot of the new size") { _ in
        let shown = try? screen.visible()
        return shown?.count { $0.hasPrefix("heart-rate-measurement bpm") } == 1
          && shown?.last?.hasPrefix("n: note, q: end") == true
      }
      try screen.press("q")
      let lines = try screen.end()
      #expect(lines.last == "status 0")
      #expect(lines.suffix(6).contains { $0.contains(" N  window open") }, "\(lines)")
      // Lines of the former size that have scrolled away are not redrawn.
      let shown = try screen.visible()
      #expect(!shown.contains { $0.hasPrefix("n: note, q: end") }, "\(shown)")
    }
  }

  @Test(
    "the terminal is restored, however the watch ends",
    arguments: ["q", "C-c", "C-\\", "TERM", "HUP"]
  )
  func restored(ending: String) throws {
    let flags = "stty -a | tr ' ' '\\n' | grep -E -- '^-?(icanon|echo)$' | sort | tr '\\n' ' '"
    let screen = try Screen("\(Self.belt); \(flags)", environment: ["LC_ALL": "C.UTF-8"])
    try screen.wait(for: "a plot") { Self.isPlotted($0) }
    switch ending {
    case "QUIT": try screen.send(SIGQUIT)
    case "TERM": try screen.send(SIGTERM)
    case "HUP": try screen.send(SIGHUP)
    default: try screen.press(ending)
    }
    let lines = try screen.wait(for: "status 0")
    #expect(lines.last == "echo icanon status 0", "\(lines)")
  }

  @Test("a title has the name that the simulated device's file gives the characteristic")
  func names() throws {
    let folder = try TemporaryFolder()
    let uuid = "0000a001-1212-efde-1523-785feabcd123"
    let file = try folder.file(
      "pot.yaml",
      """
      name: Pot-1
      address: C0:FF:EE:00:00:23
      names: { pot: fff0, soil-moisture: \(uuid) }
      services:
        - service: pot
          characteristics:
            - characteristic: soil-moisture
              properties: [notify]
              counter: { format: u8, every: 200ms }
      """
    )
    try Screen.play {
      let screen = try Screen(
        "watch \(uuid) --format u8 --plot --for 5s --simulate \(file)",
        environment: ["LC_ALL": "C"]
      )
      let lines = try screen.end()
      #expect(lines.contains { $0.hasPrefix("soil-moisture  min ") }, "\(lines)")
    }
  }

  @Test("a dropped connection is marked and interrupts the line")
  func markers() throws {
    let folder = try TemporaryFolder()
    let belt = projectFolder + "/Simulators/devices/heart-rate.yaml"
    let scenario = try folder.file(
      "scenario.yaml",
      """
      scenario: A belt that is away for two seconds
      devices: [ { use: "\(belt)" } ]
      faults: [ { fault: out-of-range, after: notified, nth: 1, for: 2s } ]
      """
    )
    try Screen.play {
      let screen = try Screen(
        "watch heart-rate-measurement --field bpm --plot --for 20s --simulate \(scenario)",
        environment: ["LC_ALL": "C"]
      )
      let lines = try screen.end()
      #expect(lines.contains { $0.contains(#/^\d\d:\d\d:\d\d D  HRM-1: /#) }, "\(lines)")
      #expect(
        lines.contains { $0.contains(#/^\d\d:\d\d:\d\d R  HRM-1: connected again/#) }, "\(lines)"
      )
      #expect(lines.contains { $0.contains(#/^ {9,}C +D +R/#) }, "\(lines)")
    }
  }

  @Test("a dumb terminal and a pipe get plain lines")
  func plain() throws {
    let screen = try Screen("\(Self.belt) --count 2", environment: ["TERM": "dumb"])
    let lines = try screen.end()
    #expect(lines.count { $0.contains("  heart-rate-measurement  ") } == 2, "\(lines)")
    #expect(!lines.contains { $0.contains("UTC") })
    let piped = try blerun(Self.belt.split(separator: " ").map(String.init) + ["--count", "2"])
    #expect(piped.lines.count == 2, "\(piped.output)")
    #expect(!piped.errors.contains("\u{1b}"))
  }
}

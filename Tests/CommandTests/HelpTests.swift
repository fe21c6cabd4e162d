// Help begins with what the command is for, and fits the terminal: it is wrapped once, by the width.

import Fixtures
import Foundation
import Testing

@Suite("Help", .blocking)
struct HelpTests {
  private static func help(_ words: [String], columns: Int) throws -> [String] {
    let ended = try blerun(
      words + ["--help"],
      environment: ["COLUMNS": "\(columns)"]
    )
    #expect(ended.status == 0)
    return ended.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static let commands = (try? commands([])) ?? []

  /// The command of these words and those below it, as help lists them.
  private static func commands(_ words: [String]) throws -> [[String]] {
    let lines = try help(words, columns: 80)
    guard let start = lines.firstIndex(of: "SUBCOMMANDS:") else { return [words] }
    let names = lines[(start + 1)...].prefix { !$0.hasPrefix("  See ") }
      .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap {
        $0.split(separator: " ").first.map(String.init)
      }
    return try [words] + names.flatMap { try commands(words + [$0]) }
  }

  @Test("help begins with the command's own options; the journal is last, without what is rare")
  func order() throws {
    for (command, own) in [("run", "--steps"), ("batch", "--concurrency"), ("watch", "--device")] {
      let lines = try Self.help([command], columns: 80)
      let options = lines.filter { $0.hasPrefix("  -") }
      #expect(options.first?.contains(own) == true, "\(options)")
      let last = options.suffix(4).compactMap { $0.split(separator: " ").first }
      #expect(last == ["--journal", "--no-journal", "--version", "-h,"], "\(options)")
      #expect(lines.contains { $0.contains("--help-hidden") })
    }
    let names = Self.commands.filter { $0.count == 1 }.map { $0[0] }
    let core = "run batch simulate scan inspect read write watch record check history"
    #expect(names.prefix(11).joined(separator: " ") == core)
    #expect(names.contains("demo") && names.contains("schema"))
    let hidden = try blerun(["run", "--help-hidden"]).output
    #expect(hidden.contains("--journal-sync"))
  }

  @Test("help is printed on the narrowest terminal", arguments: [0, 1, 10, 26])
  func narrow(columns: Int) throws {
    #expect(try Self.help(["run"], columns: columns).contains { $0.contains("--steps") })
  }

  @Test("shells complete the devices and characteristics of simulated devices")
  func completion() throws {
    func words(_ command: String, _ argument: String, _ files: String...) throws -> [String] {
      let line = ["blerun", command] + files.flatMap { ["--simulate", $0] } + [""]
      let ended = try blerun(
        ["---completion", command, "--", argument, "\(line.count - 1)", "0"] + line
      )
      #expect(ended.status == 0, "\(ended.errors)")
      return ended.lines
    }
    let (heart, lock) = ("Simulators/devices/heart-rate.yaml", "Simulators/devices/lock.yaml")
    #expect(
      try words("run", "--device", heart, "Simulators/devices/thermometer.yaml") == [
        "HRM-1", "Thermo-1",
      ]
    )
    #expect(try words("read", "positional@0", lock).contains("battery-level"))
    let watched = try words("watch", "positional@0", heart)
    #expect(watched.first == "HRM-1" && watched.contains("heart-rate-measurement"), "\(watched)")
    #expect(try words("read", "positional@0", "no-such-file.yaml") == [])
  }

  @Test("no line is wrapped twice", arguments: [80, 60])
  func wrapped(columns: Int) throws {
    let commands = Self.commands
    #expect(commands.contains(["run"]) && commands.contains(["history", "prune"]))
    for command in commands {
      let text = try Self.help(command, columns: columns).prefix { !$0.hasPrefix("USAGE:") }
      for (line, next) in zip(text, text.dropFirst()) where !line.isEmpty && !next.isEmpty {
        let isExample = line.hasPrefix(" ")
        #expect(isExample == next.hasPrefix(" "), "\(command): \(line)\n\(next)")
        if isExample { continue }
        let first = next.prefix { $0 != " " }
        // The last column stays free.
        #expect(line.count + 1 + first.count >= columns, "\(command): \(line)\n\(next)")
      }
      #expect(text.allSatisfy { $0.count < columns }, "\(command): \(text)")
    }
  }
}

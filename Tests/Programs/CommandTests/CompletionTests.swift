// Completion of the command line: what bash really proposes, and what zsh and fish are given.
//
// Scripts are made in this process; bash is the program that is started.

import ArgumentParser
import Fixtures
import Foundation
import Testing

@testable import Program

@Suite("Completion", .blocking)
struct CompletionTests {
  @Test("bash completes files where files are expected, and steps, formats and capabilities")
  func bash() throws {
    let folder = try TemporaryFolder()
    for file in ["belt.yaml", "report.xml"] { _ = try folder.file(file, "") }
    _ = try folder.file("blerun.bash", Blerun.completionScript(for: .bash))
    let expected: [(line: String, proposed: String)] = [
      ("run b", "belt.yaml"), ("check b", "belt.yaml"), ("simulate b", "belt.yaml"),
      ("batch b", "belt.yaml"), ("run --simulate b", "belt.yaml"),
      ("run -e connect --simulate b", "belt.yaml"), ("check --simulate b", "belt.yaml"),
      ("run --report r", "report.xml"), ("run -e re", "read repeat read-descriptor"),
      ("check -e no", "notify"), ("read battery-level --format u1", "u16 u16be"),
      ("pair --capability key", "keyboard-only keyboard-display"),
    ]
    let asked = """
      source ./blerun.bash
      ask() {
        COMP_WORDS=(blerun "$@"); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"
        COMP_POINT=${#COMP_LINE}; COMPREPLY=()
        _blerun blerun "${@: -1}" "${@: -2:1}"; echo "${COMPREPLY[@]}"
      }
      \(expected.map { "ask \($0.line)" }.joined(separator: "\n"))
      """
    let ended = try RunningProgram(
      ["bash", "--norc", "-c", asked], in: folder.path,
      environment: ProcessInfo.processInfo.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
    ).end()
    // The script is proposed as the file that it is.
    let proposed = ended.lines.map { line in
      line.split(separator: " ").filter { $0 != "blerun.bash" }.joined(separator: " ")
    }
    #expect(proposed == expected.map(\.proposed), "\(ended.errors)")
  }

  /// Whether a part of a script has all of these.
  private func has(_ parts: [String], _ texts: [String]) -> Bool {
    parts.contains { part in texts.allSatisfy { part.contains($0) } }
  }

  @Test("zsh completes the same words")
  func zsh() {
    let lines = Blerun.completionScript(for: .zsh).split(separator: "\n").map(String.init)
    for values in [["notify", "write-descriptor"], ["u16", "utf8"], ["keyboard-display"]] {
      #expect(has(lines, ["local -ar"] + values), "\(values)")
    }
    for option in ["--simulate", "--report"] { #expect(has(lines, [option + "[", "_files"])) }
  }

  @Test("fish completes the same words")
  func fish() {
    let entries = Blerun.completionScript(for: .fish).split(separator: "complete -c")
      .map(String.init)
    for (option, values) in [
      ("steps", ["notify", "write-descriptor"]), ("format", ["u16", "utf8"]),
      ("capability", ["keyboard-display"]), ("simulate", ["-rF"]), ("report", ["-rF"]),
    ] {
      #expect(has(entries, ["-l '\(option)'"] + values), "\(option)")
    }
  }
}

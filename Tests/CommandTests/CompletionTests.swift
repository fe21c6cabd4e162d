// Completion of the command line: what bash really proposes, and what zsh and fish are given.

import Fixtures
import Foundation
import Testing

@Suite("Completion", .blocking)
struct CompletionTests {
  private static let bash = try? blerun("--generate-completion-script", "bash")

  private func script(_ shell: String) throws -> String {
    let made = shell == "bash" ? Self.bash : try blerun("--generate-completion-script", shell)
    let ended = try #require(made)
    #expect(ended.status == 0)
    return ended.output
  }

  /// What bash proposes for the last word, in a folder with `belt.yaml`, `report.xml` and `sub`.
  private func proposed(_ words: [String]) throws -> Set<String> {
    let folder = try TemporaryFolder()
    for file in ["belt.yaml", "report.xml"] { _ = try folder.file(file, "") }
    _ = try folder.file("blerun.bash", try script("bash"))
    let quoted = (["blerun"] + words).map { "'\($0)'" }.joined(separator: " ")
    let (last, previous) = (words[words.count - 1], words[words.count - 2])
    let asked = """
      source ./blerun.bash
      COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count)
      COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
      _blerun blerun '\(last)' '\(previous)'; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let ended = try RunningProgram(
      ["bash", "--norc", "-c", asked],
      in: folder.path,
      environment: ProcessInfo.processInfo.environment
        .merging(["PATH": "\(folder.path):/usr/bin:/bin"]) { $1 }
    ).end()
    return Set(ended.lines.map { $0.trimmingCharacters(in: .whitespaces) })
  }

  @Test("bash proposes files where files are expected")
  func files() throws {
    for words in [
      ["run", "b"], ["check", "b"], ["simulate", "b"], ["batch", "b"], ["run", "--simulate", "b"],
      ["run", "-e", "connect", "--simulate", "b"], ["check", "--simulate", "b"],
    ] {
      let found = try proposed(words)
      #expect(found.contains("belt.yaml"), "\(words): \(found)")
    }
    #expect(try proposed(["run", "--report", "r"]).contains("report.xml"))
  }

  @Test("bash proposes steps, formats and capabilities")
  func words() throws {
    #expect(try proposed(["run", "-e", "re"]) == ["read", "repeat", "read-descriptor"])
    #expect(try proposed(["check", "-e", "no"]) == ["notify"])
    #expect(try proposed(["read", "battery-level", "--format", "u1"]).contains("u16"))
    #expect(
      try proposed(["pair", "--capability", "key"]) == ["keyboard-only", "keyboard-display"]
    )
  }

  /// Whether a part of a script has all of these.
  private func has(_ parts: [String], _ texts: [String]) -> Bool {
    parts.contains { part in texts.allSatisfy { part.contains($0) } }
  }

  @Test("zsh is given the same")
  func zsh() throws {
    let lines = try script("zsh").split(separator: "\n").map(String.init)
    for values in [["notify", "write-descriptor"], ["u16", "utf8"], ["keyboard-display"]] {
      #expect(has(lines, ["local -ar"] + values), "\(values)")
    }
    for option in ["--simulate", "--report"] { #expect(has(lines, [option + "[", "_files"])) }
  }

  @Test("fish is given the same")
  func fish() throws {
    let entries = try script("fish").split(separator: "complete -c").map(String.init)
    for (option, values) in [
      ("steps", ["notify", "write-descriptor"]), ("format", ["u16", "utf8"]),
      ("capability", ["keyboard-display"]), ("simulate", ["-rF"]), ("report", ["-rF"]),
    ] {
      #expect(has(entries, ["-l '\(option)'"] + values), "\(option)")
    }
  }
}

// A recorded transcript: commands, and what each of them printed when it was recorded.
//
// It runs commands and compares text. Which transcripts there are is not here.

import Fixtures
import Foundation
import Testing

/// A file of `Tests/Golden/recorded`. Its lines with `$` are the commands; the others are recorded.
struct Transcript {
  /// Whether the files are written anew instead of compared.
  static let isRecording = ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil

  /// How many commands of a transcript run beside one another.
  private static let atOnce = 2

  static let folder = projectFolder + "/Tests/Golden"

  /// The name without its ending, below `recorded`.
  let name: String

  private var path: String { "\(Self.folder)/recorded/\(name).txt" }

  private var recorded: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  /// The names of the transcripts that are there.
  static var all: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/recorded")) ?? []
    return names.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted()
  }

  /// Runs the commands of the file and compares, or records, what they print.
  func replay() throws {
    let commands = recorded.split(separator: "\n").filter { $0.hasPrefix("$ ") }
      .map { String($0.dropFirst(2)) }
    try #require(!commands.isEmpty, "\(path) has no commands")
    // The next ones run while the output of one is awaited.
    var running: [ShellCommand] = []
    var texts: [String] = []
    for (index, command) in commands.enumerated() {
      running.append(try ShellCommand(command))
      if index >= Self.atOnce { texts.append(running[texts.count].transcript()) }
    }
    for command in running[texts.count...] { texts.append(command.transcript()) }
    try expect(texts.joined(separator: "\n"))
  }

  /// Compares `text` with what is recorded; writes it instead when recording.
  func expect(_ text: String) throws {
    guard Self.compared(text) != Self.compared(recorded) else { return }
    if Self.isRecording {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      return
    }
    Issue.record(
      """
      \(name).txt: \(Self.difference(Self.compared(recorded), Self.compared(text)))
      If this change is wanted: UPDATE_GENERATED=1 swift test --filter Golden
      """
    )
  }

  /// The part of a text that is compared: everything, or all but the checksums of bus logs and pages.
  private static func compared(_ text: String) -> String {
    guard !testsEverything, !isRecording else { return text }
    return text.replacing(/\d+ lines, \d+ \d+/, with: "any lines")
  }

  /// The first lines that differ, with the command above them.
  private static func difference(_ recorded: String, _ found: String) -> String {
    let old = recorded.components(separatedBy: "\n")
    let new = found.components(separatedBy: "\n")
    let first = zip(old, new).prefix { $0 == $1 }.count
    let command = new.prefix(first + 1).last { $0.hasPrefix("$ ") || $0.hasPrefix("# ") } ?? ""
    let expected = old.dropFirst(first).prefix(3).map { "- \($0)" }
    let actual = new.dropFirst(first).prefix(3).map { "+ \($0)" }
    return (["line \(first + 1), \(command)"] + expected + actual).joined(separator: "\n")
  }
}

/// A command of a transcript, run by the shell with `$T` as an empty folder of its own.
struct ShellCommand {
  let text: String
  private let folder: TemporaryFolder
  private let program: RunningProgram

  init(_ text: String) throws {
    self.text = text
    folder = try TemporaryFolder()
    let binaries = URL(fileURLWithPath: binaryPath).deletingLastPathComponent().path
    let inherited = ProcessInfo.processInfo.environment
    let environment = [
      "PATH": "\(binaries):\(inherited["PATH"] ?? "/usr/bin:/bin")", "HOME": folder.path,
      "T": folder.path, "XDG_STATE_HOME": folder.path, "TZ": "UTC", "LC_ALL": "C.UTF-8",
    ]
    program = try RunningProgram(["sh", "-c", text], in: projectFolder, environment: environment)
  }

  /// The command and what it printed: standard output, then standard error and the exit status.
  func transcript() -> String {
    let ended = program.end()
    var text = "$ \(text)\n" + ended.output
    if !ended.output.isEmpty, !ended.output.hasSuffix("\n") { text += "\n" }
    for line in ended.errors.split(separator: "\n") { text += "! \(line)\n" }
    if ended.status != 0 { text += "status \(ended.status)\n" }
    return text.replacing(folder.path, with: "$T").replacing(projectFolder, with: "$PACKAGE")
  }
}

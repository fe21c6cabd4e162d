// Questions at a terminal, which `script` gives the binary.

import Fixtures
import Foundation
import Testing

@Suite("blerun at a terminal", .blocking)
struct TerminalTests {
  /// The terminal output of a pairing in which the question was answered like this, and the terminal
  /// modes afterwards.
  func shown(_ arguments: String, answering question: String, with answer: String) throws -> String
  {
    let terminal = try RunningProgram(
      ["script", "-qec", "trap : INT; \(binaryPath) \(arguments); stty -a", "/dev/null"],
      in: projectFolder, hasInput: true, limit: .seconds(300)
    )
    try terminal.waitForOutput(question)
    terminal.write(answer)
    return terminal.end().output
  }

  @Test("pairing asks for a passkey without echoing it", arguments: ["", " --real-time"])
  func passkey(time: String) throws {
    let shown = try shown(
      "pair --simulate Simulators/devices/lock.yaml" + time,
      answering: "which passkey does the device show? ", with: "042137\n"
    )
    #expect(shown.contains("1  pair  ok"), "\(shown)")
    #expect(!shown.contains("042137"), "\(shown)")
  }

  @Test(
    "Ctrl-C ends a question and restores the echo", arguments: ["", " --real-time"])
  func interruption(time: String) throws {
    let shown = try shown(
      "pair --simulate Simulators/devices/lock.yaml" + time,
      answering: "which passkey does the device show? ", with: "\u{3}"
    )
    #expect(shown.contains("interrupted by SIGINT"), "\(shown)")
    #expect(shown.contains(" echo "), "\(shown)")
  }

  @Test("a number can be confirmed or rejected", arguments: [("y\n", "ok"), ("no\n", "failed")])
  func comparison(answer: String, end: String) throws {
    let folder = try TemporaryFolder()
    let device = try folder.file(
      "watch.yaml",
      "name: Watch-1\naddress: C0:FF:EE:00:00:09\nsecurity: { pairing: confirm, passkey: 99 }\n"
    )
    let shown = try shown(
      "pair --simulate \(device)", answering: "does the device show 000099? [y/n] ", with: answer
    )
    #expect(shown.contains("1  pair  \(end)"), "\(shown)")
  }
}

// `blerun demo`: a one-minute tour without a radio.
//
// The content of the tour is in Tour.swift.

import ArgumentParser
import Documents
import Jobs
import Signals

struct Demo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show in one minute what blerun does; needs no radio and no files.",
    discussion: """
      Writes a few files to a new folder, and runs commands with them: simulated devices, a chain, a \
      failure with its reasons, a batch, a report. Each command is printed before its output, and \
      can be repeated from any folder. The folder stays; the last line states how to remove it.

        blerun demo
        blerun demo --folder ~/blerun-demo
      """
  )

  @Option(folder: "Write the files to this folder, instead of a new one in $TMPDIR or /tmp.")
  var folder: String?

  func run() throws {
    let folder = try DemoFolder(folder)
    let program = DemoProgram()
    let output = StandardOutput()
    output.lines(Tour.welcome(folder.path))
    var ending: CommandExit?
    for (index, part) in Tour.parts.enumerated() where ending == nil {
      output.lines(part.introduction(index + 1, in: folder.path, program.name))
      ending = try end(of: part, folder.path, program, output)
    }
    output.lines(ending == nil ? Tour.farewell(folder.path) : Tour.leftovers(folder.path))
    try output.end()
    if let ending { throw ending }
  }

  /// Runs the command of a part.
  ///
  /// - Returns: The ending of the tour; nil if it continues.
  private func end(
    of part: Tour.Part, _ folder: String, _ program: DemoProgram, _ output: StandardOutput
  ) throws -> CommandExit? {
    if let failure = output.finish() { return CommandExit(.output, "\(failure)") }
    if let signal = SystemSignals.arrived { return CommandExit(.interrupted(by: signal.number)) }
    let command = [program.path] + part.arguments(folder)
    let status: Int32
    do {
      status = try ChildProcess.run(command, on: EventLoop())
    } catch let failure as ChildProcess.Failure {
      return CommandExit(.failed, "\(failure)")
    }
    if let signal = SystemSignals.arrived { return CommandExit(.interrupted(by: signal.number)) }
    guard status == part.status.rawValue else {
      return CommandExit(
        .failed, "the command ended with \(status) instead of \(part.status.rawValue)")
    }
    if part.status != .ok { output.line("(exit status \(status))") }
    return nil
  }
}

/// The program that runs the commands, and the name by which the user can run it.
private struct DemoProgram {
  let path: String
  /// `blerun` if the shell finds this program by that name, otherwise its path.
  let name: String

  init() {
    path = CompanionProgram.own ?? ProcessArguments.all[0]
    let found = try? ProgramFile.path(of: "blerun", in: "/")
    name = found.flatMap(FolderOfFile.realPath) == path ? "blerun" : path
  }
}

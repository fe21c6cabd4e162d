// The command line: parses, runs the chosen command, and ends with the promised exit status.

import ArgumentParser
import Glibc
import Jobs

/// Runs chains of operations against Bluetooth LE devices, through BlueZ or simulated.
@main
struct Blerun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blerun",
    abstract: "Runs chains of operations against Bluetooth LE devices, real or simulated.",
    discussion: """
      Exit status:

          0  done
          1  a permanent failure: a step was refused, an expectation was not met
          2  wrong usage
         65  a file is wrong
         69  no bus, no adapter, or no permission
         74  output could not be written
         75  a transient failure: not found, connection lost, busy, timed out
        129, 130, 131, 143  ended by SIGHUP, SIGINT, SIGQUIT, SIGTERM
      """,
    version: "0.1.0",
    subcommands: [
      Demo.self, Run.self, BatchCommand.self, Check.self, Convert.self, Scan.self, Inspect.self,
      ReadCommand.self, WriteCommand.self, WatchCommand.self, Pair.self, Unpair.self,
      Adapters.self, Simulate.self, History.self, Doctor.self, SchemaCommand.self,
    ]
  )

  static func main() {
    SystemSignals.start()
    let status = status(of: Array(CommandLine.arguments.dropFirst()))
    StandardStreams.ofProcess.finish(patience: StandardOutput.patienceAfterSignal)
    Glibc.exit(status.rawValue)
  }

  /// Runs the command of the arguments and returns the exit status of the process.
  private static func status(of arguments: [String]) -> ExitStatus {
    do {
      var command = try parsed(WatchTargets.marked(SuiteOptions.joined(arguments)))
      if let command = command as? any WorldCommand {
        StandardStreams.ofProcess.presentation = command.options.terminal.presentation
      }
      try command.run()
      return .ok
    } catch let ending as Ending {
      for message in ending.messages { StandardError.failure("\(message)") }
      return ending.status
    } catch {
      return status(printing: error)
    }
  }

  /// The command. What follows `--` after `simulate` belongs to the program that it starts.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    guard arguments.first == "simulate",
      let terminator = arguments.firstIndex(of: "--")
    else { return try parseAsRoot(arguments) }
    let command = try parseAsRoot(Array(arguments[..<terminator]))
    guard var simulate = command as? Simulate else { return command }
    simulate.command = Array(arguments[(terminator + 1)...])
    return simulate
  }

  /// Prints what is wrong with the command line, or the help that was requested.
  private static func status(printing error: any Error) -> ExitStatus {
    let text = fullMessage(for: error)
    guard exitCode(for: error) == .success else {
      StandardError.lines(text)
      return .usage
    }
    let output = StandardOutput()
    output.lines(text)
    return output.finish() == nil ? .ok : .output
  }
}

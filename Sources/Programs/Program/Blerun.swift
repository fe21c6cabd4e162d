// The command line: parses, runs the chosen command, and ends with the promised exit status.

package import ArgumentParser
import Glibc
import Jobs

/// Runs chains of operations against Bluetooth LE devices, through BlueZ or simulated.
package struct Blerun: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "blerun",
    abstract: "Runs chains of operations against Bluetooth LE devices, real or simulated.",
    discussion: """
      Exit status:

          0  done
          1  a permanent failure: refused, or not as expected
          2  wrong usage: options and arguments
         65  a file or a step is wrong
         69  no bus, no adapter, or no permission
         74  output could not be written
         75  a transient failure: not found, lost, busy, late
        129  ended by SIGHUP
        130  ended by SIGINT (Ctrl-C)
        131  ended by SIGQUIT
        143  ended by SIGTERM
      """,
    version: version,
    subcommands: [
      Run.self, BatchCommand.self, Simulate.self, Scan.self, Inspect.self, ReadCommand.self,
      WriteCommand.self, WatchCommand.self, Record.self, Check.self, History.self,
    ],
    groupedSubcommands: [
      CommandGroup(
        name: "Further",
        subcommands: [
          Demo.self, Doctor.self, Adapters.self, Pair.self, Unpair.self, ServeCommand.self,
          GatewayCommand.self, FleetCommand.self, Convert.self, SchemaCommand.self,
        ]
      )
    ]
  )

  /// The version of all programs of the package.
  package static let version = "0.1.0"

  package init() {}

  /// Runs the command of the arguments, and ends the process with its status.
  package static func main() {
    main(Array(ProcessArguments.all.dropFirst())) { try $0.run() }
  }

  /// The same for a program that is one of the commands: its arguments are those of the command.
  ///
  /// - Parameter body: Carries out the command.
  package static func main<Command: ParsableCommand>(
    as _: Command.Type, _ body: (Command) throws -> Void
  ) {
    let word = Command.configuration.commandName.map { [$0] } ?? []
    main(word + ProcessArguments.all.dropFirst()) { command in
      // What is not the command is a request for help.
      if let command = command as? Command { try body(command) } else { try command.run() }
    }
  }

  /// The same for a program that carries out several commands: its arguments begin with the word.
  package static func main(
    _ arguments: [String], _ run: (inout any ParsableCommand) throws -> Void
  ) {
    ProcessDescriptors.fill()
    ProcessDescriptors.checkRoom()
    SystemSignals.start()
    end(status(of: arguments, run))
  }

  /// Ends the process when all is printed.
  ///
  /// What libraries would do at the end of a process is left out: OpenSSL frees what the threads of
  /// libnats still use, and a command that has done its work would end with a crash.
  static func end(_ status: ExitStatus) -> Never {
    StandardStreams.ofProcess.finish(patience: StandardOutput.patienceAfterSignal)
    _exit(status.rawValue)
  }

  /// Runs the command of the arguments and returns the exit status of the process.
  private static func status(
    of arguments: [String], _ run: (inout any ParsableCommand) throws -> Void
  ) -> ExitStatus {
    var command: any ParsableCommand
    do {
      command = try Self.command(of: arguments)
    } catch let refusal as Ending {
      return status(of: refusal)
    } catch {
      // Other errors than those of the parser are about texts that cannot be read.
      return status(printing: error, otherwise: .data)
    }
    if let command = command as? any WorldCommand {
      StandardStreams.ofProcess.presentation = command.options.terminal.presentation
    }
    let status = status { try run(&command) }
    guard let failure = BusLog.failure else { return status }
    StandardError.failure(failure)
    return [.ok, .failed, .passing].contains(status) ? .output : status
  }

  /// Carries out a command and returns the exit status of the process.
  private static func status(of body: () throws -> Void) -> ExitStatus {
    do {
      try body()
      return .ok
    } catch {
      guard let ending = Ending(of: error) else {
        return status(printing: error, otherwise: .failed)
      }
      return status(of: ending)
    }
  }

  private static func status(of ending: Ending) -> ExitStatus {
    for problem in ending.problems { StandardError.failure(problem) }
    return ending.status
  }

  /// The command of the arguments, which does nothing yet.
  ///
  /// - Throws: ``Ending`` where the parser would report something else than what is meant; else the error of
  ///   the parser.
  static func command(of arguments: [String]) throws -> any ParsableCommand {
    if let unknown = unknownCommand(in: arguments[...])
      ?? Simulate.commandWithoutDashes(in: arguments)
      ?? DeviceOptions.deviceWithoutOption(in: arguments)
    {
      throw Ending(.usage, unknown)
    }
    do {
      return try parsed(WatchTargets.marked(SuiteOptions.joined(arguments)))
    } catch {
      let message = fullMessage(for: error)
      guard
        let complaint = Pair.complaint(insteadOf: message, about: arguments)
          ?? foreignOption(insteadOf: message, in: arguments)
      else { throw error }
      throw Ending(.usage, complaint)
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
  ///
  /// - Parameter otherwise: The status of what is not about usage.
  private static func status(printing error: any Error, otherwise: ExitStatus) -> ExitStatus {
    if columns < 40 { setenv("COLUMNS", "40", 1) }
    let text = fullMessage(for: error)
    let code = exitCode(for: error)
    guard code == .success else {
      let lines = text.split(separator: "\n", maxSplits: 1).map(String.init)
      StandardError.failure(String(lines[0].trimmingPrefix("Error: ")))
      if lines.count > 1 { StandardError.lines(lines[1]) }
      return code == .validationFailure ? .usage : otherwise
    }
    return status(printing: text)
  }

  /// The width for which the parser makes its text: it needs 40, and asks the environment.
  ///
  /// swift-argument-parser 1.8.2 indents by 26 columns and traps where nothing is left to the right of
  /// that, also where it only finds the exit code: `HelpGenerator.labelColumnWidth`,
  /// https://github.com/apple/swift-argument-parser/blob/1.8.2/Sources/ArgumentParser/Utilities/StringExtensions.swift
  private static var columns: Int {
    RuntimeFolder.variable("COLUMNS").flatMap { Int($0) } ?? StandardStreams.columns ?? 80
  }

  private static func status(printing text: String) -> ExitStatus {
    let output = StandardOutput()
    output.lines(text)
    return status { try output.end() }
  }
}

// The command line: parses it, runs the chosen command, and exits with its status.
//
// The commands themselves are in Commands.

package import ArgumentParser
import Glibc
import Jobs

/// The command `blerun`, which runs chains on Bluetooth LE devices, real or simulated.
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

  /// The version of all programs in the package.
  package static let version = "0.1.0"

  package init() {}

  /// Runs the command of the arguments, and exits with its status.
  package static func main() {
    main(Array(ProcessArguments.all.dropFirst())) { try $0.run() }
  }

  /// Runs a program that is one of the commands: its arguments are those of the command.
  ///
  /// - Parameter body: Performs the command.
  package static func main<Command: ParsableCommand>(
    as _: Command.Type, _ body: (Command) throws -> Void
  ) {
    let word = Command.configuration.commandName.map { [$0] } ?? []
    main(word + ProcessArguments.all.dropFirst()) { command in
      // Any other parsed command is a request for help.
      if let command = command as? Command { try body(command) } else { try command.run() }
    }
  }

  /// Runs a program with several commands: its first argument is the name of the command.
  package static func main(
    _ arguments: [String], _ run: (inout any ParsableCommand) throws -> Void
  ) {
    ProcessDescriptors.fill()
    ProcessDescriptors.checkRoom()
    SystemSignals.start()
    end(status(of: arguments, run))
  }

  /// Flushes the output and exits the process.
  ///
  /// `_exit` skips the exit handlers of libraries: OpenSSL's would free memory that the threads of
  /// libnats still use, and crash a command that has done its work.
  static func end(_ status: ExitStatus) -> Never {
    StandardStreams.ofProcess.finish(patience: StandardOutput.patienceAfterSignal)
    _exit(status.rawValue)
  }

  /// Runs the command of the arguments, and returns its exit status.
  private static func status(
    of arguments: [String], _ run: (inout any ParsableCommand) throws -> Void
  ) -> ExitStatus {
    var command: any ParsableCommand
    do {
      command = try Self.command(of: arguments)
    } catch let refusal as CommandExit {
      return status(of: refusal)
    } catch {
      // Errors other than the parser's are about unreadable texts.
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

  /// Performs a command, and returns its exit status.
  private static func status(of body: () throws -> Void) -> ExitStatus {
    do {
      try body()
      return .ok
    } catch {
      guard let ending = CommandExit(of: error) else {
        return status(printing: error, otherwise: .failed)
      }
      return status(of: ending)
    }
  }

  private static func status(of ending: CommandExit) -> ExitStatus {
    for problem in ending.problems { StandardError.failure(problem) }
    return ending.status
  }

  /// Parses the arguments; runs nothing.
  ///
  /// - Throws: ``CommandExit`` for mistakes that the parser would describe misleadingly; otherwise the
  ///   error of the parser.
  static func command(of arguments: [String]) throws -> any ParsableCommand {
    if let unknown = unknownCommand(in: arguments[...])
      ?? Simulate.commandWithoutDashes(in: arguments)
      ?? DeviceOptions.deviceWithoutOption(in: arguments)
    {
      throw CommandExit(.usage, unknown)
    }
    do {
      return try parsed(WatchTargets.marked(SuiteOptions.joined(arguments)))
    } catch {
      let message = fullMessage(for: error)
      guard
        let replacement = Pair.passkeyMessage(insteadOf: message, about: arguments)
          ?? foreignOption(insteadOf: message, in: arguments)
      else { throw error }
      throw CommandExit(.usage, replacement)
    }
  }

  /// Parses the command. After `simulate`, the arguments behind `--` belong to the started program.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    guard arguments.first == "simulate",
      let terminator = arguments.firstIndex(of: "--")
    else { return try parseAsRoot(arguments) }
    let command = try parseAsRoot(Array(arguments[..<terminator]))
    guard var simulate = command as? Simulate else { return command }
    simulate.command = Array(arguments[(terminator + 1)...])
    return simulate
  }

  /// Prints the error in the command line, or the requested help.
  ///
  /// - Parameter otherwise: The status of errors that are not about usage.
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
    let status = status(printing: text)
    if text == version, let line = HostSurvey().version()?.line { StandardError.notice(line) }
    return status
  }

  /// The width for which the parser wraps text, at least 40: it reads `COLUMNS` from the
  /// environment.
  ///
  /// swift-argument-parser 1.8.2 indents by 26 columns and traps if none is left, even while it
  /// only computes the exit code: `HelpGenerator.labelColumnWidth`,
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

// The command line: parses, runs the chosen command, and ends with the promised exit status.

import ArgumentParser
import Glibc

/// Runs chains of operations against Bluetooth LE devices, through BlueZ or simulated.
@main
struct Blerun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blerun",
    abstract: "Runs chains of operations against Bluetooth LE devices, real or simulated.",
    discussion: """
      Exit status: 0 done; 1 a step was refused or an expectation not met; 2 wrong usage; 65 a file
      is wrong; 69 no bus, no adapter, or no permission; 74 output could not be written; 75 a
      failure that may pass: not found, link lost, busy, out of time; 130, 143, 129 ended by
      SIGINT, SIGTERM, SIGHUP.
      """,
    version: "0.1.0",
    subcommands: [Run.self, Check.self, Scan.self, Inspect.self, Simulate.self]
  )

  static func main() {
    SystemSignals.block()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let status as ExitCode {
      Glibc.exit(status.rawValue)
    } catch {
      leave(with: error)
    }
  }

  /// Says what is wrong with the command line, or gives the help that was asked for.
  private static func leave(with error: any Error) -> Never {
    let text = fullMessage(for: error)
    if exitCode(for: error) == .success {
      StandardOutput().line(text)
      Glibc.exit(0)
    }
    StandardError.line(text)
    Glibc.exit(2)
  }
}

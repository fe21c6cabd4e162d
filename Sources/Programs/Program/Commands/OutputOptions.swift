// The options for the output: of commands that run no chain, of those that do, and of the messages on
// standard error.

import ArgumentParser
import Jobs

/// The output options of a command that runs no chain of the user.
struct OutputOptions: ParsableArguments {
  enum Output: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Option(help: "How results are printed.")
  var output: Output = .text
}

/// The output options of a command that runs chains.
struct ChainOutputOptions: ParsableArguments {
  enum Output: String, ExpressibleByArgument, CaseIterable {
    case text, json, junit, tap

    /// The format of lines that are printed immediately; nil if a report is printed at the end.
    var lines: OutputOptions.Output? {
      switch self {
      case .text: .text
      case .json: .json
      case .junit, .tap: nil
      }
    }

    /// The report that is printed at the end; nil if lines are printed immediately.
    var whole: (any RunsReport)? {
      switch self {
      case .text, .json: nil
      case .junit: JUnitReport()
      case .tap: TAPReport()
      }
    }
  }

  @Option(
    help: "How results are printed: text and json as things happen, junit and tap at the end."
  )
  var output: Output = .text
}

/// The options for colours and for the messages on standard error.
struct TerminalOptions: ParsableArguments {
  @Option(help: .value("when", "Colours in text; auto: on a terminal, unless NO_COLOR is set."))
  var color: Presentation.Color = .auto

  @Flag(name: .shortAndLong, help: "Print nothing but data and failures.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print the messages to and from BlueZ.")
  var verbose = false

  func validate() throws {
    if quiet, verbose { throw ValidationError("Give --quiet or --verbose, not both.") }
  }

  var presentation: Presentation {
    Presentation(isQuiet: quiet, isVerbose: verbose, color: color)
  }
}

/// A command with options for the messages on standard error.
protocol WorldCommand: ParsableCommand {
  var options: WorldOptions { get }
}

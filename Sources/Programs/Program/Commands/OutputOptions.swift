// How results are printed, by commands that run no chain of the user's and by those that do, and what is
// printed beside them.

import ArgumentParser
import Jobs

/// How a command prints what it found.
struct OutputOptions: ParsableArguments {
  enum Output: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Option(help: "How results are printed.")
  var output: Output = .text
}

/// How a command prints what chains do.
struct ChainOutputOptions: ParsableArguments {
  enum Output: String, ExpressibleByArgument, CaseIterable {
    case text, json, junit, tap

    /// The form of the lines that are printed as things happen; nil where a report is printed at the end.
    var lines: OutputOptions.Output? {
      switch self {
      case .text: .text
      case .json: .json
      case .junit, .tap: nil
      }
    }

    /// The report that is printed when all is over; nil where lines are printed as things happen.
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

/// Colours, and how much goes to standard error.
struct TerminalOptions: ParsableArguments {
  @Option(help: .value("when", "Colours in text; auto: on a terminal, unless NO_COLOR is set."))
  var color: Presentation.Color = .auto

  @Flag(name: .shortAndLong, help: "Print nothing but data and failures.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print what BlueZ is asked and what it answers.")
  var verbose = false

  func validate() throws {
    if quiet, verbose { throw ValidationError("Give --quiet or --verbose, not both.") }
  }

  var presentation: Presentation {
    Presentation(isQuiet: quiet, isVerbose: verbose, color: color)
  }
}

/// A command whose options decide what is printed beside the data.
protocol WorldCommand: ParsableCommand {
  var options: WorldOptions { get }
}

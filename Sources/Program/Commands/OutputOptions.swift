// How results are printed, by commands that run no chain of the user's and by those that do.

import ArgumentParser
import Jobs

/// How a command prints what it found.
struct OutputOptions: ParsableArguments {
  /// The forms.
  enum Output: String, ExpressibleByArgument, CaseIterable {
    case text, json

    /// The same of a chain.
    var ofChain: ChainOutputOptions.Output { self == .json ? .json : .text }
  }

  @Option(help: "How results are printed: text or json.")
  var output: Output = .text
}

/// How a command prints what chains do.
struct ChainOutputOptions: ParsableArguments {
  /// The forms.
  enum Output: String, ExpressibleByArgument, CaseIterable {
    case text, json, junit, tap

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
    help: "How results are printed: text or json as things happen, junit or tap at the end."
  )
  var output: Output = .text
}

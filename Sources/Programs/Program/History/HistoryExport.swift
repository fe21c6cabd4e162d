// `blerun history export`: a run as JSON or CSV, for other programs.

import ArgumentParser
import Jobs
import Journal

struct HistoryExport: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json, csv
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print a run for other programs.",
    discussion: """
      json: the lines that --output json printed. csv: a header, then a row for each field of \
      each value, for each gap, and for each end of a step.
      """
  )

  @OptionGroup var file: JournalArgument

  @Option(help: "The form.")
  var format: Format = .json

  @Argument(help: "The number of the run, as list has it.")
  var number: Int64

  func run() throws {
    let file = try file.open()
    let output = StandardOutput()
    let line = { (text: String) throws in
      output.line(text)
      if let failure = output.failure { throw failure }
    }
    let isThere: Bool
    do {
      isThere =
        switch format {
        case .json: try file.exportJSON(number, line)
        case .csv: try file.exportCSV(number, line)
        }
    } catch {
      throw output.failure.map { CommandExit(.output, "\($0)") } ?? CommandExit(error)
    }
    guard isThere else { throw CommandExit.noRun(number) }
    try output.end()
  }
}

extension CommandExit {
  static func noRun(_ number: Int64) -> CommandExit {
    CommandExit(.failed, "the journal has no run \(number): blerun history lists them")
  }
}

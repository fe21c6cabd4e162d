// The path of a report; the file name extension selects its kind.

import ArgumentParser
import Jobs

/// The path of a report on the command line.
struct ReportPath: ExpressibleByArgument {
  /// The content of the file.
  enum Content {
    /// Lines written during the run, after an optional header.
    case lines(any RunReport, header: String?)
    /// A complete report, written at the end.
    case whole(any RunsReport)
  }

  /// The file name extensions, with their notes in the help and their contents.
  private static let endings: [(ending: String, note: String, content: Content)] = [
    ("xml", " (JUnit)", .whole(JUnitReport())),
    ("tap", "", .whole(TAPReport())),
    ("html", "", .whole(HTMLReport())),
    ("csv", " (values)", .lines(CSVReport(), header: CSVReport.header)),
    ("jsonl", "", .lines(JSONLinesReport(), header: nil)),
    ("txt", "", .lines(TextReport(), header: nil)),
  ]

  /// The extensions for the help: `NAME.xml (JUnit), .tap or .html`.
  ///
  /// - Parameter onlyWhole: Whether to omit reports that are written line by line.
  static func names(onlyWhole: Bool = false) -> String {
    let names = endings.compactMap { row -> String? in
      if onlyWhole, case .lines = row.content { return nil }
      return ".\(row.ending)\(row.note)"
    }
    return "NAME" + names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }

  let path: String
  let content: Content

  init?(argument: String) {
    let ending = argument.split(separator: "/").last?.split(separator: ".").dropFirst().last
    guard let found = Self.endings.first(where: { $0.ending == ending ?? "" }) else { return nil }
    path = argument
    content = found.content
  }
}

/// The options for reports besides the printed one.
struct ReportOptions: ParsableArguments {
  @Option(
    name: .customLong("report"),
    file: "Write a report, too: \(ReportPath.names()); repeat it for more."
  )
  var files: [ReportPath] = []

  /// The runs for which reports are written.
  enum Occasion: String, ExpressibleByArgument, CaseIterable {
    /// Every run.
    case always
    /// Only a run with a failure.
    case failure
  }

  @Option(
    help: .value("when", "When reports are written; failure: a run that succeeded leaves no file.")
  )
  var reportOn: Occasion = .always
}

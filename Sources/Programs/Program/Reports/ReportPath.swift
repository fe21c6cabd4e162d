// The path of a report; the file name extension selects its kind.

import ArgumentParser
import Documents
import Jobs
import NordicSuites

/// The path of a report on the command line.
struct ReportPath: ExpressibleByArgument {
  /// The content of the file.
  enum Content {
    /// Lines written during the run, of a chain or of a suite, after an optional header.
    case lines(any RunReport & SuiteReport, header: String?)
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

  /// Rejects reports that would overwrite other files of the command line.
  ///
  /// - Parameters:
  ///   - inputs: The files that the command reads, except simulated devices.
  ///   - metrics: The metrics file, which must also differ from all others.
  func check(
    reading inputs: [String], _ options: WorldOptions, _ journal: JournalOptions,
    _ trace: String? = nil, metrics: String? = nil
  ) throws(Ending) {
    var taken = (inputs + options.simulate).map {
      (file: realPath($0), what: "read by the command")
    }
    let outputs = [
      (journal.journal, "the journal"), (options.busLog, "that of --bus-log"),
      (trace, "that of --trace"),
    ]
    for case (let path?, let what) in outputs { taken.append((realPath(path), what)) }
    let written =
      files.map { (option: "--report", path: $0.path) }
      + (metrics.map { [(option: "--metrics", path: $0)] } ?? [])
    for (option, path) in written {
      let file = realPath(path)
      if let other = taken.first(where: { $0.file == file }) {
        throw Ending(.usage, "\(option) \(path): that file is \(other.what)")
      }
      taken.append((file, "another report, too"))
    }
  }

  /// The path of a file that may be missing.
  private func realPath(_ path: String) -> String { FolderOfFile.realPath(path) ?? path }
}

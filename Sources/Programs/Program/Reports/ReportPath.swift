// Where a report goes; the ending of the file's name decides its kind.

import ArgumentParser
import Documents
import Jobs
import NordicSuites

/// A file for a report, on the command line.
struct ReportPath: ExpressibleByArgument {
  /// What is written to it.
  enum Content {
    /// Lines as things happen, of a chain or of a suite, below a first one.
    case lines(any RunReport & SuiteReport, header: String?)
    /// One text, when all is over.
    case whole(any RunsReport)
  }

  /// The endings there are, each with what the help adds to it, and what it stands for.
  private static let endings: [(ending: String, note: String, content: Content)] = [
    ("xml", " (JUnit)", .whole(JUnitReport())),
    ("tap", "", .whole(TAPReport())),
    ("html", "", .whole(HTMLReport())),
    ("csv", " (values)", .lines(CSVReport(), header: CSVReport.header)),
    ("jsonl", "", .lines(JSONLinesReport(), header: nil)),
    ("txt", "", .lines(TextReport(), header: nil)),
  ]

  /// The endings, for people: `NAME.xml (JUnit), .tap or .html`.
  ///
  /// - Parameter onlyWhole: Without those of lines.
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

/// The reports of a run or a batch beside what is printed.
struct ReportOptions: ParsableArguments {
  @Option(
    name: .customLong("report"),
    file: "Write a report, too: \(ReportPath.names()); repeat it for more."
  )
  var files: [ReportPath] = []

  /// When reports are written.
  enum Occasion: String, ExpressibleByArgument, CaseIterable {
    /// Whatever happens.
    case always
    /// Only when something failed.
    case failure
  }

  @Option(
    help: .value("when", "When reports are written; failure: a run that succeeded leaves no file.")
  )
  var reportOn: Occasion = .always

  /// Refuses reports that would be written over other files of the command line.
  ///
  /// - Parameters:
  ///   - inputs: The files that it reads, simulated devices not counted.
  ///   - metrics: A file of metrics, which must not be one of those either.
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

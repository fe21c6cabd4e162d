// The options of the commands that run chains: of `run`, for chains, files and suites, and of `batch`.

import ArgumentParser
import Documents
import Jobs

/// The options for output, reports, connections and the world of one or more runs.
struct RunOptions: ParsableArguments {
  @OptionGroup var printing: ChainOutputOptions
  @OptionGroup var reports: ReportOptions
  @OptionGroup var link: LinkOptions

  @Flag(help: "Fail (75) if the device is already connected, by another program or account.")
  var exclusive = false

  @OptionGroup var waiting: WaitOptions
  @OptionGroup var world: WorldOptions

  /// Returns the rule of a chain, with the options of the command line added.
  func applied(to rule: LinkRule) -> LinkRule {
    var rule = waiting.applied(to: link.applied(to: rule))
    rule.isExclusive = rule.isExclusive || exclusive
    return rule
  }

  /// Rejects reports that would overwrite other files of the command line.
  ///
  /// - Parameters:
  ///   - inputs: The files that the command reads, except simulated devices.
  ///   - metrics: The metrics file, which must also differ from all others.
  func check(
    reading inputs: [String], _ journal: JournalOptions, trace: String? = nil,
    metrics: String? = nil
  ) throws(CommandExit) {
    var taken = (inputs + world.simulate).map {
      (file: realPath($0), what: "read by the command")
    }
    let outputs = [
      (journal.journal, "the journal"), (world.busLog, "that of --bus-log"),
      (trace, "that of --trace"),
    ]
    for case (let path?, let what) in outputs { taken.append((realPath(path), what)) }
    let written =
      reports.files.map { (option: "--report", path: $0.path) }
      + (metrics.map { [(option: "--metrics", path: $0)] } ?? [])
    for (option, path) in written {
      let file = realPath(path)
      if let other = taken.first(where: { $0.file == file }) {
        throw CommandExit(.usage, "\(option) \(path): that file is \(other.what)")
      }
      taken.append((file, "another report, too"))
    }
  }

  /// The path of a file that may be missing.
  private func realPath(_ path: String) -> String { FolderOfFile.realPath(path) ?? path }
}

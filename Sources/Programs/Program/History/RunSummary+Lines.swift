// Runs of a journal as text and as JSON.
//
// Reading them from the journal is in the module Journal.

import Bluetooth
import Documents
import Jobs
import Journal

/// The process that owns a run.
package enum RunOwner {
  /// Whether the process that a journal names as the owner of a run still exists.
  @Sendable package static func isThere(_ owner: String) -> Bool {
    ProcessIdentity(owner)?.isThere ?? false
  }
}

extension RunSummary {
  /// The outcome in a word or two; for a run without one, whether its process still exists.
  var state: String {
    if let exitStatus {
      return exitStatus == 0 ? "ok" : "failed\(cause.map { ": \($0)" } ?? "")"
    }
    return isUnderWay ? "under way" : "broken off"
  }

  /// Whether the run has not ended and its process still exists.
  var isUnderWay: Bool { exitStatus == nil && owner.map(RunOwner.isThere) ?? false }

  /// The code of the failure: an interruption or an output failure if it ended the command, else
  /// that of the first failed chain. In a batch, chains that a later one replaced do not count.
  private var cause: String? {
    let interrupted = DeviceFailure.Code.interrupted.rawValue
    if let exitStatus, exitStatus > 128 { return interrupted }
    guard batch != nil else { return chains.compactMap(\.code).first }
    if exitStatus == ExitStatus.output.rawValue {
      let journalFailed = DeviceFailure.Code.journalFailed.rawValue
      return chains.contains { $0.code == journalFailed } ? journalFailed : interrupted
    }
    return lastChains.compactMap(\.code).first
  }

  var devices: String {
    let devices = batch.map(\.devices.count) ?? 0
    let count = devices > 0 ? devices : Set(chains.map(\.device)).count
    return count > 1 ? "\(count) devices" : chains.first?.device ?? "-"
  }

  /// The start time for output, marked if it is simulated.
  private var began: String {
    Timestamp.time(started).map { Timestamp.beginning($0, isSimulated: isSimulated) } ?? started
  }

  private var ending: String {
    let isVirtual = began == Timestamp.beginning(.zero, isSimulated: true)
    let time = isVirtual && finished != nil ? nil : finished ?? "-"
    return [time, state, exitStatus.map { "exit status \($0)" }].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// Whether the chains are tests of an nRF Connect suite.
  var isSuite: Bool { command == "suite" }

  /// The name of the batch, or else of the chain; for a suite with several tests, their number.
  private var name: String {
    if isSuite, chains.count > 1 { return "\(chains.count) tests" }
    return batch?.origin.name ?? chains.first?.name ?? "-"
  }

  private var stepsDone: Int { lastChains.map(\.stepsDone).reduce(0, +) }
  private var values: Int { chains.map(\.values).reduce(0, +) }
  private var warnings: Int { lastChains.map(\.warnings).reduce(0, +) }

  /// The cells of the run's row in a ``TextTable``.
  var columns: [String] {
    [
      "\(run)", began, devices, name,
      state + TextReport.warnings(warnings) + (lost > 0 ? ", incomplete" : ""),
      "\(stepsDone)", "\(values)",
    ]
  }

  /// The lines with the start, the ending and the batch of the run.
  var headLines: [String] {
    let head = [
      "run       \(run), \(command)\(isSimulated ? " of simulated devices" : "")",
      "identity  \(identity), seed \(seed)",
      "started   \(began)",
      "ended     \(ending)",
    ]
    return head + (lost > 0 ? [lossLine] : []) + (batch.map { $0.lines(lastChains) } ?? [])
      + resumptions.map(\.line)
  }

  /// The lines of the plan.
  ///
  /// If the plans of a batch differ only in the values of variables, the first is printed, with the
  /// number of the others.
  var planLines: [String] {
    let lines = definition.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard batch != nil else { return [""] + lines }
    let parts = lines.split { $0.isEmpty }
    // Each group of devices begins with a `for` line; its steps follow an empty line.
    let firstGroup = parts.firstIndex { $0.first?.hasPrefix("for ") == true } ?? parts.count
    let groups = parts.count { $0.first?.hasPrefix("for ") == true }
    guard groups > 1 else { return [""] + lines }
    let next = parts.dropFirst(firstGroup + 1).firstIndex { $0.first?.hasPrefix("for ") == true }
    let shown = parts[..<(next ?? parts.count)].flatMap { [""] + $0 }
    return shown + ["", "and \(counted(groups - 1, "more plan")), for other devices"]
  }

  private var lossLine: String {
    "missing   \(counted(lost, "record")): the journal could not be written for too long"
  }

  var json: String {
    let members: KeyValuePairs<String, any JSONWritable> = [
      "number": run, "run": identity, "command": command, "state": state,
      "simulated": isSimulated, "seed": JSONValue.number(seed), "started": started,
      "finished": finished, "exitStatus": exitStatus, "blerun": version,
    ]
    let last = Set(lastChains.map(\.chain))
    let others = JSONValue.members([
      "lost": lost > 0 ? lost.json : nil, "batch": batch?.jsonValue,
      "resumed": resumptions.isEmpty ? nil : resumptions.map(\.started).json,
      "chains": chains.map { $0.jsonValue(isLast: last.contains($0.chain)) }.json,
    ])
    return EventLine("run", members, and: others).text
  }
}

extension ChainSummary {
  /// - Parameter isLast: Whether no later chain of a resumed batch replaces this one.
  fileprivate func jsonValue(isLast: Bool) -> JSONValue {
    let all: KeyValuePairs<String, any JSONWritable> = [
      "device": device, "chain": name, "status": status, "exitStatus": exitStatus, "code": code,
      "started": started, "finished": finished, "steps": stepsDone, "values": values,
    ]
    let others = JSONValue.members([
      "warnings": warnings > 0 ? warnings.json : nil, "superseded": isLast ? nil : true.json,
    ])
    return .object(all.map { .init($0, $1.json) } + others)
  }

  /// The lines before the steps.
  ///
  /// - Parameter run: The run of the chain; a batch has names for devices, and a suite has names
  ///   for chains.
  func headLines(in run: RunSummary) -> [String] {
    let seconds = took.map { " after \(Duration.microseconds($0).decimalSeconds.dropLast(3)) s" }
    let title = run.batch?.title(of: device) ?? device
    let name = run.isSuite ? name.map { "  \($0)" } : nil
    // The status of a test already says that there is one warning.
    let isSaid = warnings == 1 && status == RunEnding.Status.warning.rawValue
    let count = isSaid ? "" : TextReport.warnings(warnings)
    let ending = "\(status ?? "not ended")\(seconds ?? "")\(count)"
    return ["", "\(title)\(name ?? "")  \(ending)"]
  }
}

extension ChainSummary {
  /// The line about a chain that was replaced when the batch was resumed.
  var earlierLine: String {
    "before it was resumed  \(status ?? "not ended")\(code.map { ": \($0)" } ?? "")"
  }
}

extension StepSummary {
  /// The line of a step: its time, position, operation, status and result.
  var line: String {
    let seconds = Duration.microseconds(offset).decimalSeconds.dropLast(3)
    let place = Int(position.prefix(1)) == nil ? "-" : position
    var words = ["\(seconds)", attempt > 1 ? "(\(attempt))" : nil, place].compactMap { $0 }
    if let name { words.append(name) }
    words.append(operation + (attribute.map { " \($0)" } ?? ""))
    words.append(status ?? "not ended")
    if let result { words.append(result) }
    if values > 1 { words.append("\(values) values") }
    if let code { words.append(code + (message.map { ": \($0)" } ?? "")) }
    return words.joined(separator: "  ")
  }
}

/// Rows of text in aligned columns, below a header.
struct TextTable {
  private let rows: [[String]]

  /// - Parameter rows: Each with one cell for each column of the header.
  init(_ head: [String], _ rows: [[String]]) { self.rows = rows.isEmpty ? [] : [head] + rows }

  /// The header and a line for each row; empty if there are no rows.
  var lines: [String] {
    let columns = rows.first?.indices ?? 0..<0
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0.padded(to: $1) }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}

extension String {
  /// Returns the text, padded with spaces to at least `count` characters.
  func padded(to count: Int) -> String {
    self + String(repeating: " ", count: max(0, count - self.count))
  }
}

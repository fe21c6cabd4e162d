// Runs of a journal as text and as JSON.

import Bluetooth
import Documents
import Jobs
import Journal

/// Which process does a run.
package enum RunOwner {
  /// Whether the process is there that a journal names as the owner of a run.
  @Sendable package static func isThere(_ owner: String) -> Bool {
    ProcessIdentity(owner)?.isThere ?? false
  }
}

extension RunSummary {
  /// How it ended, in a word or two; or that it did not.
  var state: String {
    if let exitStatus {
      return exitStatus == 0 ? "ok" : "failed\(cause.map { ": \($0)" } ?? "")"
    }
    return isUnderWay ? "under way" : "broken off"
  }

  /// Whether the process that does it is there.
  var isUnderWay: Bool { exitStatus == nil && owner.map(RunOwner.isThere) ?? false }

  /// The code of why it failed: a signal, of a batch also its output, else the first failure that no
  /// later chain made good.
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

  /// When it began, for people.
  private var began: String {
    Timestamp.time(started).map { Timestamp.beginning($0, isSimulated: isSimulated) } ?? started
  }

  private var ending: String {
    let isVirtual = began == Timestamp.beginning(.zero, isSimulated: true)
    let time = isVirtual && finished != nil ? nil : finished ?? "-"
    return [time, state, exitStatus.map { "exit status \($0)" }].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// Whether its chains are the tests of a suite of nRF Connect.
  var isSuite: Bool { command == "suite" }

  /// What the batch is called, else the chain; of a suite how many tests began, if several did.
  private var name: String {
    if isSuite, chains.count > 1 { return "\(chains.count) tests" }
    return batch?.origin.name ?? chains.first?.name ?? "-"
  }

  private var stepsDone: Int { lastChains.map(\.stepsDone).reduce(0, +) }
  private var values: Int { chains.map(\.values).reduce(0, +) }
  private var warnings: Int { lastChains.map(\.warnings).reduce(0, +) }

  /// The cells of its row in a ``TextTable``.
  var columns: [String] {
    [
      "\(run)", began, devices, name,
      state + TextReport.warnings(warnings) + (lost > 0 ? ", incomplete" : ""),
      "\(stepsDone)", "\(values)",
    ]
  }

  /// When it began, how it ended, and which batch it is of.
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

  /// What was to be done.
  ///
  /// A plan that differs between devices only in the values of variables is printed once, with the
  /// number of the others.
  var planLines: [String] {
    let lines = definition.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard batch != nil else { return [""] + lines }
    let parts = lines.split { $0.isEmpty }
    // A part for each group of devices begins with their names; its steps follow an empty line.
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
  /// - Parameter isLast: Whether no later chain of a resumed batch replaces it.
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

  /// What comes before its steps.
  ///
  /// - Parameter run: The run that it is of: a batch has names of devices, and a suite those of chains.
  func headLines(in run: RunSummary) -> [String] {
    let seconds = took.map { " after \(Duration.microseconds($0).decimalSeconds.dropLast(3)) s" }
    let title = run.batch?.title(of: device) ?? device
    let name = run.isSuite ? name.map { "  \($0)" } : nil
    // The state of a test says that there is one.
    let isSaid = warnings == 1 && status == RunEnding.Status.warning.rawValue
    let count = isSaid ? "" : TextReport.warnings(warnings)
    let ending = "\(status ?? "not ended")\(seconds ?? "")\(count)"
    return ["", "\(title)\(name ?? "")  \(ending)"]
  }
}

extension ChainSummary {
  /// How it ended, for a device on which the resumed batch ran another chain.
  var earlierLine: String {
    "before it was resumed  \(status ?? "not ended")\(code.map { ": \($0)" } ?? "")"
  }
}

extension StepSummary {
  /// The time, the place, what it did and what came of it.
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

/// Rows in columns, below a head.
struct TextTable {
  private let rows: [[String]]

  /// - Parameter rows: Each with a cell for each column of the head.
  init(_ head: [String], _ rows: [[String]]) { self.rows = rows.isEmpty ? [] : [head] + rows }

  /// A head and a line for each row; nothing without rows.
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
  /// The text with spaces behind it, so that it has at least so many characters.
  func padded(to count: Int) -> String {
    self + String(repeating: " ", count: max(0, count - self.count))
  }
}

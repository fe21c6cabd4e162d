// `blerun history values`: the recorded values of a device, over any number of runs.

import ArgumentParser
import Documents
import Jobs
import Journal
import Signals

struct HistoryValues: ParsableCommand {
  enum Output: String, ExpressibleByArgument, CaseIterable {
    case csv, json
  }

  static let configuration = CommandConfiguration(
    commandName: "values",
    abstract: "Print what a device measured, over all runs.",
    discussion: """
      Finds the numbers of a characteristic in all runs with a device. With --bucket it prints the \
      minimum, maximum, mean and count of each bucket that has values; without it, each number.

        blerun history values HRM-1 heart-rate-measurement \\
          --since 24h --bucket 1m
        blerun history values HRM-1 heart-rate-measurement \\
          --field bpm --since 1h --output json
      """
  )

  @OptionGroup var options: JournalArgument

  @Argument(help: "The device, as its runs named it.")
  var device: String

  @Argument(help: "The characteristic, as its steps named it.")
  var characteristic: String

  @Option(help: "Only this field: bpm.")
  var field: String?

  @Option(help: .value("age", "From how long ago on: 24h, 7d."), transform: Duration.ageArgument)
  var since: Duration

  @Option(age: "Until how long ago: 12h (now).")
  var until: Duration?

  @Option(
    help: .time("The length of a bucket, in whole minutes: 1m, 1h."), transform: Duration.argument
  )
  var bucket: Duration?

  @Option(help: "How values are printed.")
  var output: Output = .csv

  func validate() throws {
    if let bucket {
      let seconds = bucket.components.seconds
      let isWhole = bucket == .seconds(seconds) && seconds % 60 == 0
      guard isWhole, (1...JournalFile.longestBucket).contains(Int(seconds / 60)) else {
        throw ValidationError("--bucket: expected whole minutes, up to 366 days.")
      }
    }
    if let until, until >= since {
      throw ValidationError("--until must be later than --since.")
    }
  }

  func run() throws {
    let file = try options.open()
    let now = EventLoop().wallClockAtStart
    let query = ValueQuery(
      device: device, attribute: characteristic, field: field, from: now - since,
      to: until.map { now - $0 } ?? now + .microseconds(1)
    )
    let printed = StandardOutput()
    do {
      if let bucket {
        try printBuckets(of: query, Int(bucket.components.seconds / 60), file, printed)
      } else {
        try printValues(of: query, file, printed)
      }
    } catch let failure as JournalFailure {
      throw printed.failure.map { CommandExit(.output, "\($0)") } ?? CommandExit(failure)
    }
    try printed.end()
  }

  private func printBuckets(
    of query: ValueQuery, _ minutes: Int, _ file: JournalFile, _ printed: StandardOutput
  ) throws {
    let buckets = try file.buckets(of: query, minutes: minutes)
    let row = table("bucket", ["minimum", "maximum", "mean", "count"], printed)
    for bucket in buckets {
      let numbers = [bucket.minimum, bucket.maximum, bucket.mean].map { JSONValue($0) }
      row(bucket.time, bucket.field, numbers + [JSONValue(bucket.count)])
    }
  }

  private func printValues(
    of query: ValueQuery, _ file: JournalFile, _ printed: StandardOutput
  ) throws {
    let row = table("number", ["value"], printed)
    try file.values(query) { found in
      row(found.time, found.field, [JSONValue(found.value)])
      if let failure = printed.failure { throw failure }
    }
  }

  /// Begins a table whose last columns are numbers.
  ///
  /// - Returns: A function that prints a row, as a CSV line or as an event with the columns as
  ///   members.
  private func table(
    _ event: String, _ numbers: [String], _ printed: StandardOutput
  ) -> (_ time: String, _ field: String, _ numbers: [JSONValue]) -> Void {
    let columns = ["time", "device", "attribute", "field"] + numbers
    if output == .csv { printed.line(CSVCell.line(columns)) }
    return { time, field, numbers in
      let place = [time, device, characteristic, field].map { JSONValue.string($0) }
      switch output {
      case .csv: printed.line(CSVCell.line((place + numbers).map(\.cell)))
      case .json:
        printed.line(
          EventLine(event, zip(columns, place + numbers).map { JSONValue.Member($0, $1) }).text
        )
      }
    }
  }
}

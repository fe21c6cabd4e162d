// The options for the values that `blerun watch` watches, and for its output.

import ArgumentParser
import Bluetooth
import Documents
import Jobs

/// The options for the watched values, shared by `watch` and `serve`.
struct WatchedOptions: ParsableArguments {
  @Argument(
    help: .value(
      "characteristic",
      """
      Characteristics to watch, or rssi for that of the connection; without --device, the device may \
      come first.
      """
    )
  )
  var words: [String] = []

  @Option(
    name: [.short, .long],
    help: """
      A device to watch: an address, or a name with wildcards * and ?. Repeat it for more, each before \
      its characteristics.
      """
  )
  var device: [String] = []

  @Flag(help: "Names match only in the same case.")
  var exact = false

  @Option(
    time: """
      How long connecting, subscribing and one read may take, each: 10s, 500ms. (default: \
      \(Plan.defaultTimeout.written))
      """
  )
  var timeout = Plan.defaultTimeout

  @Option(time: "Read the values at this interval instead of subscribing: 1m, 500ms.")
  var poll: Duration?

  @OptionGroup var naming: NamesOptions

  /// Returns a plan that reports each value as text.
  ///
  /// If values arrive faster than they are shown, the watch continues, and a gap counts the dropped ones.
  ///
  /// - Parameters:
  ///   - acquires: Whether values are received through a separate socket (AcquireNotify).
  ///   - only: Returns the device if none is named.
  func plan(
    _ names: AttributeNames, acquires: Bool = false, orElse only: () throws -> DeviceTarget
  ) throws -> WatchPlan {
    let subscription = SubscriptionOptions(
      delivery: acquires ? .acquire : .signals, overflow: .dropOldest, startLimit: timeout
    )
    return WatchPlan(
      try WatchTargets(words, names: names).devices(exact: exact, orElse: only),
      source: poll.map { .poll(every: $0) } ?? .notify(subscription), limit: timeout
    )
  }
}

/// The options for the watched values and the output.
struct WatchOptions: ParsableArguments {
  enum Output: String, ExpressibleByArgument, CaseIterable {
    case text, json, csv
  }

  @OptionGroup var watched: WatchedOptions
  @OptionGroup var choosing: ChoiceOptions

  @Flag(help: "Print how many values come in each window, instead of the values.")
  var rate = false

  @Option(time: "The length of a window of --rate: 5s.")
  var window: Duration?

  @Option(help: "Print this field of the values only: bpm. Repeat it for more.")
  var field: [String] = []

  @Flag(help: "Print the latest values of all characteristics as one record.")
  var combine = false

  @Option(
    name: [.customLong("for")],
    time: "How long to watch, from when all subscriptions are active: 5s, 1m."
  )
  var duration: Duration?

  @Option(help: "How many records to print in all.")
  var count: Int?

  @Option(help: "How to decode the bytes: u8, i16be, utf8, hex …")
  var format: ValueFormat?

  @Flag(help: "Receive the values through a separate socket (AcquireNotify).")
  var acquire = false

  @Flag(
    inversion: .prefixedNo,
    help: "Connect again after a failed attempt or a dropped connection; or end."
  )
  var resume = true

  @Flag(help: "Draw a live plot, if there is a terminal; otherwise print the values.")
  var plot = false

  @Option(time: "The time that --plot shows: 10m (default: all of it).")
  var span: Duration?

  @Option(help: "How records are printed.")
  var output: Output = .text

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    if rate != (window != nil) {
      throw ValidationError("--rate and --window belong together: --rate --window 5s.")
    }
    if span != nil, !plot { throw ValidationError("--span is for --plot.") }
    let pairs = [
      ("--rate", rate, "--combine", combine), ("--rate", rate, "--field", !field.isEmpty),
      ("--poll", watched.poll != nil, "--acquire", acquire),
    ]
    for (first, hasFirst, second, hasSecond) in pairs where hasFirst && hasSecond {
      throw ValidationError("Give \(first) or \(second), not both.")
    }
    try watched.naming.check { names in
      let plan = try plan(names) { .any }
      if let problem = plan.problem { throw ValidationError("\(problem).") }
    }
  }

  /// Returns the plan of the watch.
  ///
  /// - Parameter only: Returns the device if none is named.
  func plan(_ names: AttributeNames, orElse only: () throws -> DeviceTarget) throws -> WatchPlan {
    var plan = try watched.plan(names, acquires: acquire, orElse: only)
    plan.view = window.map { .rate(window: $0) } ?? (combine ? .combined : .values)
    plan.format = format
    plan.fields = field
    plan.duration = duration
    plan.count = count
    plan.reconnects = resume
    plan.names = names
    return plan
  }
}

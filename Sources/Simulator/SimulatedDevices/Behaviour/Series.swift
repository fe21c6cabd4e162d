// A list of values.

import Documents
import Signals

/// A list of values: each subscriber receives them from the first one on, or each read returns the
/// next.
public struct Series: MovingValue {
  /// The values, in order.
  public var values: [[UInt8]]
  /// The time between two values; nil: each read returns the next, or `times` sets the times.
  public var every: Duration?
  /// The random variation of `every`, earlier or later, drawn for each value; at most `every`.
  public var everySpread: Duration
  /// The time of each value after the subscription, in ascending order; empty: `every` applies.
  public var times: [Duration]
  /// Whether the list repeats after the last value.
  public var repeats: Bool
  /// Whether a subscriber receives the first value at once.
  public var beginsAtOnce: Bool

  /// Creates a series; see the properties.
  ///
  /// ```swift
  /// let series = Series(values: [[0, 79], [0, 83], [0, 86]], every: .seconds(1))
  /// let beats = CharacteristicDefinition(
  ///   uuid: BluetoothUUID(short: 0x2a37), properties: [.notify], behaviour: .series(series))
  /// ```
  public init(
    values: [[UInt8]], every: Duration? = nil, everySpread: Duration = .zero,
    times: [Duration] = [], repeats: Bool = true, beginsAtOnce: Bool = false
  ) {
    self.values = values
    self.every = every
    self.everySpread = everySpread
    self.times = times
    self.repeats = repeats
    self.beginsAtOnce = beginsAtOnce
  }

  var interval: Duration? { every }

  /// The delay before a value. A repeated series with times restarts after the interval between its
  /// last two values.
  func delay(before index: Int, generator: SeededGenerator) -> Duration? {
    guard let first = times.first, let last = times.last else {
      guard let even = evenDelay(before: index), even > .zero, everySpread > .zero else {
        return evenDelay(before: index)
      }
      var generator = generator.split("delay \(index)")
      let stray = min(everySpread, even) * Double.random(in: -1...1, using: &generator)
      return max(even + stray, FileLimits.period.lowerBound)
    }
    if index == 0 { return beginsAtOnce ? .zero : first }
    let place = index % times.count
    guard place == 0 else { return times[place] - times[place - 1] }
    return times.count > 1 ? last - times[times.count - 2] : max(last, .milliseconds(1))
  }

  /// Subscribers receive the values from the first one on; without times, each read returns the
  /// next.
  func step(elapsed: Duration, ticks: Int, reads: Int) -> Int {
    every != nil || !times.isEmpty ? max(0, ticks - 1) : reads
  }

  /// The value at an index. Without repetition the last value stays.
  func value(step: Int, generator: SeededGenerator) -> [UInt8] {
    guard !values.isEmpty else { return [] }
    return values[repeats ? step % values.count : min(step, values.count - 1)]
  }

  func isOver(step: Int) -> Bool { values.isEmpty || !repeats && step >= values.count }
}

// MARK: In files

extension Behaviour {
  /// A list of values that starts again for each subscription.
  public static func series(_ series: Series) -> Behaviour { .moving(Movement(series)) }
}

extension Series {
  static let key = BehaviourKey("series", shape, table: form.table, "a list of values") {
    .series($0)
  }

  /// The keys of a series: its values, or where they are.
  private struct Entry: Sendable {
    var series = Series(values: [], every: nil, repeats: true)
    var csv: Node?
    var parts: Node?
    var time: Node?
  }

  private static let form = DeviceForm<Entry>(
    "Values one after the other, written here or in a table.", Entry(),
    [
      DeviceKey(
        "values", \.series.values,
        DeviceShape<[UInt8]>.octets.list(
          of: "values", 1...FileLimits.values, none: "a series has at least one value"
        ),
        usual: "", "the values"
      ),
      DeviceKey(
        "csv",
        \.csv,
        .later("the name of a file", DeviceReader.fileName),
        "a CSV file below the folder of this file, relative to it"
      ),
      DeviceKey(
        "parts",
        \.parts,
        .later(DeviceReader.partsExample, ValueSchemas.columnParts),
        "what each row is made of"
      ),
      DeviceKey(
        "time",
        \.time,
        .later("the name of a column", Schema(["type": "string"])),
        "the column with the seconds, or durations, of each value"
      ),
      DeviceKey(
        "every", \.series.every, .period, usual: "each read steps", "the time between two values"
      ),
      DeviceKey(
        "every-spread",
        \.series.everySpread,
        .delay,
        "how much sooner or later a value may come, drawn for each; at most `every`"
      ),
      DeviceKey(
        "repeats",
        \.series.repeats,
        .truth,
        "whether it begins again after the last value"
      ),
      DeviceKey(
        "first",
        \.series.beginsAtOnce,
        .first,
        "whether a subscriber gets a value at once"
      ),
    ],
    rules: [
      .exclusive(["values", "csv"]),
      .some(
        of: ["values", "csv"], "the key 'values' is missing",
        expected: "a list of values, or 'csv'"
      ),
      KeyRule(schema: ["if": ["required": ["csv"]], "then": ["required": ["parts"]]]) { isGiven in
        guard isGiven("csv"), !isGiven("parts") else { return [] }
        return [([], Problem("the key 'parts' is missing", expected: DeviceReader.partsExample))]
      },
      .never("parts", with: "values", "'parts' is for a series from 'csv'"),
      .never("time", with: "values", "'time' is for a series from 'csv'"),
      .exclusive(["time", "every"]),
      .only("every-spread", with: ["every"], "there is no time between two values without 'every'"),
      KeyRule(schema: nil) { mapping in
        guard let every = mapping.value(of: "every"),
          let spread = mapping.value(of: "every-spread"),
          let longest = every.duration, let given = spread.duration, given > longest
        else { return nil }
        return spread.problem(
          "a value cannot come \(given.written) sooner than after \(longest.written): 'every-spread' is at "
            + "most 'every'"
        )
      },
      .only("first", with: ["every", "time"], "without 'every' no value comes by itself"),
    ]
  )

  private static let shape = DeviceShape<Series>(
    "a mapping", schema: form.schema.named("series")
  ) { node, reader in
    let before = reader.problems.count
    var entry = form.read(node, &reader)
    if reader.problems.count == before, let csv = entry.csv, let parts = entry.parts {
      let found = reader.recorded(csv, parts: parts, time: entry.time)
      (entry.series.values, entry.series.times) = found
    }
    if reader.problems.count > before { entry.series.times = [] }
    return entry.series
  }
}

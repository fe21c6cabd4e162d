// A value that counts in even steps.

public import Bluetooth
import Documents
import Signals

/// An integer that steps with time, or with each read.
public struct Counter: MovingValue {
  /// The integer format of the value.
  public var format: ValueFormat
  /// The first value.
  public var from: Int64
  /// The last value; nil: the end of the format's range.
  public var to: Int64?
  /// The increment; may be negative.
  public var step: Int64
  /// The duration of a step; nil: each read is a step.
  public var every: Duration?
  /// Whether it restarts at `from` after the last value, rather than staying there.
  public var repeats: Bool
  /// Whether a subscriber receives the current value at once.
  public var beginsAtOnce: Bool
  /// Whether it wraps around at the end of the format's range, as an integer of that size does.
  public var wraps: Bool

  /// Creates a counter; see the properties.
  ///
  /// ```swift
  /// let counter = Counter(format: ValueFormat("u16")!, every: .milliseconds(100))
  /// let packets = CharacteristicDefinition(
  ///   uuid: BluetoothUUID("3f0e0002-4b1d-4d5e-9a57-0b3c2f1a9d77")!, properties: [.notify],
  ///   behaviour: .counter(counter))
  /// ```
  public init(
    format: ValueFormat, from: Int64 = 0, to: Int64? = nil, step: Int64 = 1, every: Duration? = nil,
    repeats: Bool = true, beginsAtOnce: Bool = false, wraps: Bool = false
  ) {
    self.format = format
    self.from = from
    self.to = to
    self.step = step
    self.every = every
    self.repeats = repeats
    self.beginsAtOnce = beginsAtOnce
    self.wraps = wraps
  }

  /// The number of values before it repeats or stays.
  var count: Int128 {
    guard step != 0, let range = Self.range(of: format) else { return 1 }
    let last = to ?? (step > 0 ? range.upperBound : range.lowerBound)
    let distance = Int128(last) - Int128(from)
    return distance.signum() * Int128(step).signum() < 0 ? 1 : distance / Int128(step) + 1
  }

  var interval: Duration? { every }

  func value(step steps: Int, generator: SeededGenerator) -> [UInt8] {
    if wraps, let range = Self.range(of: format), let octets = format.whole?.octets {
      let size = Int128(1) << (octets * 8)
      let passed = (Int128(from) - Int128(range.lowerBound) + Int128(step) * Int128(steps)) % size
      let number = Int128(range.lowerBound) + (passed < 0 ? passed + size : passed)
      return (try? format.encode("\(number)")) ?? []
    }
    let index = repeats ? Int128(steps) % count : min(Int128(steps), count - 1)
    let number = Int64(clamping: Int128(from) + Int128(step) * index)
    return (try? format.encode("\(number)")) ?? []
  }

  func isOver(step: Int) -> Bool { !repeats && !wraps && Int128(step) >= count }

  /// The range of an integer format, within signed 64 bits; nil for other formats.
  static func range(of format: ValueFormat) -> ClosedRange<Int64>? {
    guard let (octets, isSigned) = format.whole else { return nil }
    guard octets < 8 else { return (isSigned ? .min : 0)...(.max) }
    let bits = octets * 8
    return isSigned ? -(1 << (bits - 1))...((1 << (bits - 1)) - 1) : 0...((1 << bits) - 1)
  }
}

// MARK: In files

extension Behaviour {
  /// A counter that steps with time or with each read.
  public static func counter(_ counter: Counter) -> Behaviour { .moving(Movement(counter)) }
}

extension Counter {
  static let key = BehaviourKey(
    "counter",
    Shape.mapping(form).named("counter").afterReading { counter, node, reader in
      reader.problems += counter.problems(node)
    },
    table: form.table, "a number that counts"
  ) { .counter($0) }

  /// The formats that a counter may have.
  private static let counted = ValueFormat.names.compactMap { ValueFormat($0) }
    .filter { Counter.range(of: $0) != nil }

  private static let form = DeviceForm<Counter>(
    "A number that steps.", Counter(format: counted[0]),
    [
      DeviceKey(
        "format", \.format, .format(among: counted), isRequired: true, "the format of the number"
      ),
      DeviceKey("from", \.from, .whole, "the first number"),
      DeviceKey("to", \.to, .whole, usual: "the end of the format", "the last number"),
      DeviceKey(
        "step",
        \.step,
        DeviceShape<Int64>(
          "a whole number other than 0", schema: Schema(["type": "integer", "not": ["const": 0]]),
          shown: { "\($0)" }
        ) { node, _ in node.integer.flatMap { $0 == 0 ? nil : Int64($0) } },
        "the difference between two numbers"
      ),
      DeviceKey("every", \.every, .period, usual: "each read steps", "the time between two values"),
      DeviceKey("repeats", \.repeats, .truth, "whether it begins again after the last value"),
      DeviceKey(
        "wraps",
        \.wraps,
        .truth,
        "whether it continues at the other end of its format, like an integer of that many bits"
      ),
      DeviceKey("first", \.beginsAtOnce, .first, "whether a subscriber gets a value at once"),
    ],
    rules: [
      .only("first", with: ["every"], "without 'every' no value comes by itself"),
      wrapping(without: "to"), wrapping(without: "repeats"),
    ]
  )

  /// Forbids `wraps: true` without a key; `wraps: false` is the default and needs none.
  private static func wrapping(without key: String) -> KeyRule {
    let both: JSONValue = [
      "required": ["wraps", .string(key)], "properties": ["wraps": ["const": true]],
    ]
    return KeyRule(schema: ["not": both]) { counter in
      guard counter.value(of: "wraps")?.truth == true, let other = counter.value(of: key) else {
        return nil
      }
      return Problem("'wraps' and '\(key)' exclude each other").at(other)
    }
  }

  private func problems(_ node: Node) -> [Problem] {
    guard let range = Self.range(of: format), node.value(of: "format") != nil else { return [] }
    var problems: [Problem] = []
    for (key, value) in [("from", from), ("to", to ?? from)] {
      guard let node = node.value(of: key), node.integer != nil, !range.contains(value) else {
        continue
      }
      let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
      problems.append(node.problem(expected: expected))
    }
    if problems.isEmpty, let to, step > 0 ? to < from : to > from {
      problems.append(node.problem("steps of \(step) lead away from \(to)"))
    }
    return problems
  }
}

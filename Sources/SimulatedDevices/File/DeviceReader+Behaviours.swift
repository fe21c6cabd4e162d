// Behaviours of a device file: values that move by themselves.

import Bluetooth
import Documents

extension DeviceReader {
  // MARK: Counters

  /// The formats of whole numbers that a counter may have.
  private static let counted = ValueFormat.names.compactMap { ValueFormat($0) }
    .filter { Counter.range(of: $0) != nil }

  static let counterShape = Shape.mapping(counterForm).named("counter").then {
    counter,
    node,
    reader in
    reader.check(counter, node)
  }

  static let counterForm = DeviceForm<Counter>(
    "A number that steps.",
    Counter(format: counted[0]),
    [
      DeviceKey(
        "format",
        \.format,
        .format(among: counted),
        isRequired: true,
        "the format of the number"
      ),
      DeviceKey("from", \.from, .whole, "the first number"),
      DeviceKey("to", \.to, .whole, usual: "the end of the format", "the last number"),
      DeviceKey(
        "step",
        \.step,
        DeviceShape<Int64>(
          "a whole number other than 0",
          schema: Schema(["type": "integer", "not": ["const": 0]]),
          shown: { "\($0)" }
        ) { node, _ in node.integer.flatMap { $0 == 0 ? nil : Int64($0) } },
        "the difference between two numbers"
      ),
      DeviceKey("every", \.every, .period, usual: "each read steps", "the time between two values"),
      DeviceKey("repeats", \.repeats, .truth, "whether it begins again after the last value"),
      DeviceKey("first", \.beginsAtOnce, .first, "whether a subscriber gets a value at once"),
    ],
    rules: [.only("first", with: ["every"], "without 'every' no value comes by itself")]
  )

  private mutating func check(_ counter: Counter, _ node: Node) {
    guard let range = Counter.range(of: counter.format), node.value(of: "format") != nil else {
      return
    }
    var isRight = true
    for (key, value) in [("from", counter.from), ("to", counter.to ?? counter.from)] {
      guard let node = node.value(of: key), node.integer != nil, !range.contains(value) else {
        continue
      }
      let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
      problems.append(node.problem(expected: expected))
      isRight = false
    }
    if isRight, let to = counter.to, counter.step > 0 ? to < counter.from : to > counter.from {
      problems.append(node.problem("steps of \(counter.step) lead away from \(to)"))
    }
  }

  // MARK: Waves and noise

  static let waveForm = DeviceForm<Wave>(
    "Numbers that swing together.",
    Wave(parts: [], period: .seconds(1), every: .seconds(1)),
    [
      DeviceKey(
        "parts",
        \.parts,
        .movingParts,
        isRequired: true,
        "values and numbers that move, in a row"
      ),
      DeviceKey("period", \.period, .period, isRequired: true, "the time of one full wave"),
      DeviceKey("every", \.every, .period, isRequired: true, "the time between two values"),
      DeviceKey(
        "noise",
        \.noise,
        .number(0...1),
        "random deviation of each value, as a fraction of high - low"
      ),
      DeviceKey("first", \.beginsAtOnce, .first, "whether a subscriber gets a value at once"),
    ]
  )

  static let noiseForm = DeviceForm<Noise>(
    "Numbers that are drawn anew each time.",
    Noise(parts: [], every: .seconds(1)),
    [
      DeviceKey(
        "parts",
        \.parts,
        .movingParts,
        isRequired: true,
        "values and numbers that move, in a row"
      ),
      DeviceKey("every", \.every, .period, isRequired: true, "the time between two values"),
      DeviceKey(
        "shape",
        \.shape,
        .word,
        "uniform between the ends, or mostly in the middle"
      ),
      DeviceKey("first", \.beginsAtOnce, .first, "whether a subscriber gets a value at once"),
    ]
  )

  /// A number that moves between two ends, before its format is known.
  struct Moving: Sendable {
    var low: Node?
    var high: Node?
    var decimals: Int?
    var dividend: Double?
  }

  static let movingForm = DeviceForm<Moving>(
    "A number that moves.",
    Moving(),
    [
      DeviceKey(
        "low",
        \.low,
        .later("a number", Schema(["type": "number"])),
        isRequired: true,
        "the low end"
      ),
      DeviceKey(
        "high",
        \.high,
        .later("a number", Schema(["type": "number"])),
        isRequired: true,
        "the high end"
      ),
      DeviceKey(
        "decimals",
        \.decimals,
        .integer(0...8),
        usual: "as many as are written",
        "of a medical format"
      ),
      DeviceKey(
        "dividend",
        \.dividend,
        DeviceShape("a number", schema: Schema(["type": "number"])) { node, _ in node.number },
        "what is sent is this, divided by the number"
      ),
    ]
  )
}

extension Shape where State == DeviceReader, Value == Int64 {
  static var whole: DeviceShape<Int64> {
    DeviceShape("a whole number", schema: Schema(["type": "integer"]), shown: { "\($0)" }) {
      node,
      _ in node.integer.map { Int64($0) }
    }
  }
}

extension Shape where State == DeviceReader, Value == ValueFormat {
  /// One of some formats.
  static func format(among formats: [ValueFormat]) -> DeviceShape<ValueFormat> {
    let names = formats.map(\.name)
    return DeviceShape(
      "one of " + names.joined(separator: ", "),
      schema: .words(names),
      shown: { $0.name }
    ) { node, reader in
      if let format = formats.first(where: { $0.name == node.text }) { return format }
      reader.problems.append(reader.unfit(node, among: names))
      return nil
    }
  }
}

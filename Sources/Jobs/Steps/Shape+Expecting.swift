// Shapes of comparisons: expectations, conditions, and what ends a step with many values.

import Bluetooth
import Documents

extension Shape where Value == [Expectation] {
  /// What has to hold of the step's value.
  static var expectations: Self {
    var shape = Shape(
      "a value, or fields with what they must be",
      line: "what is expected, such as percent > 20",
      schema: .reference("expect"),
      words: { $0.map { "\($0)" } }
    ) { node, reader in reader.expectations(node) }
    shape.description.isLive = true
    shape.description.looksAtValue = true
    shape.mentions = { $0.flatMap(\.check.references) }
    shape.fill = { value, filling throws(Unfilled) in try filling.filled(value) }
    return shape
  }
}

extension Shape where Value == Condition {
  /// What has to hold of captured values.
  static var condition: Self {
    var shape = Shape(
      "captured values with what they must be: { b.percent: { below: 20 } }",
      line: "what is expected, such as percent > 20",
      schema: .reference("condition"),
      words: { ["\($0)"] }
    ) { node, reader in reader.condition(node) }
    shape.description.isLive = true
    shape.mentions = { $0.tests.map(\.path) + $0.tests.flatMap(\.check.references) }
    shape.fill = { value, filling throws(Unfilled) in
      var tests: [Condition.Test] = []
      for test in value.tests { tests.append(.init(test.path, try filling.filled(test.check))) }
      return Condition(tests)
    }
    return shape
  }
}

extension Shape where Value == Enough {
  /// What ends a step with many values, other than its duration.
  static var until: Self {
    let line = { @Sendable (limits: PlanLimits) in
      "how many values, such as 5x: from 1x to \(limits.notifications)x"
    }
    let description = ShapeDescription(
      file: { _ in "a count such as { count: 5 }" },
      line: line,
      schema: .reference("until"),
      isLive: true,
      looksAtValue: true
    )
    var shape = Shape(description) { enough in
      (enough.count.map { ["\($0)x"] } ?? [])
        + (enough.silence.map { ["silence \($0.written)"] } ?? [])
        + enough.conditions.map { "\($0)" }
    } read: { node, reader in
      reader.enough(node)
    }
    shape.check = { value, limits in
      value.count.flatMap { Shape<Int>.valueCount.check($0, limits) }
        ?? value.silence.flatMap { Shape<Duration>.duration.check($0, limits) }
    }
    shape.mentions = { $0.references }
    shape.fill = { value, filling throws(Unfilled) in
      var new = value
      new.conditions = try filling.filled(value.conditions)
      return new
    }
    return shape
  }
}

extension Shape where Value == Int {
  /// How many values a step waits for.
  static var valueCount: Self {
    .integer("how many values", "values") { 1...max(1, $0.notifications) }
  }
}

extension StepReader {
  /// `until: { count: 5 }`, `until: { silence: 2s }`, `until: { celsius: { above: 30 } }`.
  fileprivate mutating func enough(_ node: Node) -> Enough? {
    guard let entries = node.mapping, !entries.isEmpty else { return nil }
    var enough = Enough()
    var conditions: [Node.Entry] = []
    for entry in entries {
      if entry.key == "count" {
        enough.count = read(entry.value, .valueCount)
      } else if entry.key == "silence" {
        enough.silence = read(entry.value, .duration)
      } else {
        conditions.append(entry)
      }
    }
    guard !conditions.isEmpty else { return enough }
    let rest = Node(.mapping(conditions), at: node.place, path: node.path)
    enough.conditions = expectations(rest) ?? []
    return enough
  }
}

// Shapes of comparisons: expectations, conditions and stop conditions.
//
// Their parsers are in StepReader+Expecting.swift.

import Bluetooth
import Documents

/// The description of a comparison in the one-line form, for errors.
private let comparison = "a condition such as percent > 20"

extension Shape where Value == [Expectation] {
  static var expectations: Self {
    let shape = Shape(
      "a value, or fields with what they must be", line: comparison, schema: .reference("expect"),
      words: { $0.map { "\($0)" } }
    ) { node, reader in reader.expectations(node) }
    return shape.usingCaptures(looksAtValue: true) {
      $0.flatMap(\.check.references)
    } fill: { value, filling throws(Problem) in
      try filling.filled(value)
    }
  }
}

extension Shape where Value == Expected {
  /// The required result of a step: a value, or a failure.
  static var expected: Self {
    ending("a value, fields with what they must be, or { error: not-permitted }", "expect")
  }

  /// The required failure of a step without a value.
  static var expectedFailure: Self { ending("{ error: not-permitted }", "expectedFailure") }

  private static func ending(_ text: String, _ definition: String) -> Self {
    let shape = Shape(
      text, line: comparison, schema: .reference(definition),
      words: { expected in
        switch expected {
        case .values(let expectations): expectations.map { "\($0)" }
        case .failure(let failure): ["\(failure)"]
        }
      }
    ) { node, reader in reader.expected(node) }
    return shape.usingCaptures(looksAtValue: true) {
      $0.expectations.flatMap(\.check.references)
    } fill: { value, filling throws(Problem) in
      try filling.filled(value)
    }
  }
}

extension Shape where Value == Condition {
  static var condition: Self {
    let shape = Shape(
      "captured values with what they must be, { b.percent: { below: 20 } }, or a calculation: b.percent * 2 < 40",
      line: "\(comparison), or (b.percent * 2 > 40)",
      schema: .reference("condition"), words: { ["\($0)"] }
    ) { node, reader in reader.condition(node) }
    return shape.usingCaptures {
      $0.paths
    } fill: { value, filling throws(Problem) in
      // Calculations are evaluated when the step runs.
      guard value.calculation == nil else { return value }
      var tests: [Condition.Test] = []
      for test in value.tests { tests.append(.init(test.path, try filling.filled(test.check))) }
      return Condition(tests)
    }
  }
}

extension Shape where Value == StopConditions {
  /// The stop conditions of a step with many values, except its duration.
  static var until: Self {
    var shape = Shape(
      "a count such as { count: 5 }", schema: .reference("until"),
      words: { stop in
        (stop.count.map { ["\($0)x"] } ?? [])
          + (stop.silence.map { ["silence \($0.written)"] } ?? [])
          + stop.conditions.map { "\($0)" }
      }
    ) { node, reader in reader.stopConditions(node) }
    shape.description.line = {
      "a number of values such as 5x, from 1x to \($0.notifications)x"
    }
    shape.operations.problem = { value, limits in
      value.problemOfWhole ?? value.count.flatMap {
        Shape<Int>.valueCount.operations.problem($0, limits)
      }
        ?? value.silence.flatMap { Shape<Duration>.duration.operations.problem($0, limits) }
    }
    return shape.usingCaptures(looksAtValue: true) {
      $0.references
    } fill: { value, filling throws(Problem) in
      var new = value
      new.conditions = try filling.filled(value.conditions)
      return new
    }
  }
}

extension Shape where Value == Int {
  /// The number of values after which a step stops.
  static var valueCount: Self {
    .integer("a number of values", "values") { 1...max(1, $0.notifications) }
  }
}

extension StepReader {
  /// Reads stop conditions: `until: { count: 5 }`, `{ silence: 2s }`, `{ celsius: { above: 30 } }`.
  fileprivate mutating func stopConditions(_ node: Node) -> StopConditions? {
    guard let entries = node.mapping, !entries.isEmpty else { return nil }
    var stop = StopConditions()
    var conditions: [Node.Entry] = []
    for entry in entries {
      if entry.key == "count" {
        stop.count = read(entry.value, .valueCount)
      } else if entry.key == "silence" {
        stop.silence = read(entry.value, .duration)
      } else {
        conditions.append(entry)
      }
    }
    guard !conditions.isEmpty else { return stop }
    let rest = Node(.mapping(conditions), at: node.place, path: node.path)
    stop.conditions = expectations(rest) ?? []
    if let problem = stop.problemOfWhole { complain(node, problem) }
    return stop
  }
}

extension StopConditions {
  /// The error for a condition that no single value meets; nil without one.
  fileprivate var problemOfWhole: Problem? {
    conditions.first(where: \.subject.isOfWholeStream).map { condition in
      Problem(
        "'\(condition.subject)' is of all values, and 'until' looks at each",
        expected: "'count', 'silence', or a condition of one value"
      )
    }
  }
}

// `set`: computes a value from captured values and captures it.
//
// It does not access the device. Use `command` for loops and for functions of your own.

import Bluetooth
public import Documents
import RunEvents

/// A step whose value is the result of a calculation.
public struct SetStep: StepKind {
  public var calculation: Calculation

  public init(_ calculation: Calculation) { self.calculation = calculation }

  init() { self.init(.zero) }

  static let verb = "set"
  static let synonyms = ["let", "calculate", "compute"]
  static let documentation = "computes a value from captured values"
  static let common: [Key<Step>] = [.as, .expect]
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key(
      "set", \.calculation, .calculation.asMapping, line: .calculation,
      "the calculation; or names with a calculation each, `{ half: b.percent / 2 }`, in place of `as`"
    )
  ]

  var action: Step.Action { .set(self) }
  var subjects: Subjects? { Subjects(ofResultOf: calculation) }
  var participle: String { "calculating" }

  /// Reads a mapping of names to calculations as one step for each name.
  static func steps(_ node: Node, _ reader: inout StepReader) -> [Step] {
    guard let named = node.value(of: verb)?.mapping, !named.isEmpty, let entries = node.mapping
    else { return kindSteps(node, &reader) }
    if let other = entries.first(where: { $0.key != verb && $0.key != "name" }) {
      reader.problems.append(
        Problem("several calculations have no '\(other.key)'", expected: "a step for each")
          .at(keyOf: other)
      )
      for entry in named { reader.scope.capture(entry.key, fields: nil, nil) }
      return []
    }
    return named.flatMap { entry -> [Step] in
      let name = Node(.scalar(entry.key, isPlain: true), at: entry.keyPlace, path: entry.value.path)
      let step = [
        Node.Entry(key: verb, keyPlace: entry.keyPlace, value: entry.value),
        Node.Entry(key: "as", keyPlace: entry.keyPlace, value: name),
      ]
      let rest = entries.filter { $0.key != verb }
      let node = Node(.mapping(step + rest), at: entry.keyPlace, path: node.path)
      return kindSteps(node, &reader)
    }
  }

  func run(_ run: StepRun) throws {
    let value: DecodedValue
    do throws(ExpressionFailure) {
      value = try calculation.value(run.chain.value)
    } catch {
      throw RunFailure(error, of: run.step)
    }
    try run.report(.success(value), value.bytes ?? [])
  }
}

extension Shape where Value == Calculation {
  /// A calculation with captured values.
  fileprivate static var calculation: Self {
    let shape = Shape(
      "a calculation such as b.percent * 2", line: "a calculation such as (b.percent * 2)",
      schema: .anyOf([.scalar, ["type": "object", "additionalProperties": .scalar]]),
      words: { ["(\($0))"] }
    ) { node, reader in
      node.text?.isEmpty == false ? reader.calculation(node, isCondition: false) : nil
    }
    return shape.usingCaptures { $0.paths }
  }
}

extension Step {
  /// Computes a value from captured values; capture it with ``captured(as:)``.
  ///
  /// ```swift
  /// try Step.read("battery-level").captured(as: "b")
  /// try Step.set("b.percent / 2").captured(as: "half")
  /// ```
  ///
  /// - Throws: `Problem` for a calculation that cannot be parsed.
  public static func set(
    _ calculation: String, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    let calculation = try Problem.at(file, line) { try Calculation(calculation) }
    return Step(.set(SetStep(calculation)))
  }
}

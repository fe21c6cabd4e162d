// Shapes of the contents of a step: inner steps, the inputs of a combination.

import Bluetooth
import Documents

extension Shape where Value == [Step] {
  /// Inner steps. They are printed on separate lines.
  static var steps: Self {
    var shape = Shape(
      "a list of steps",
      line: "steps in braces: { read battery-level }",
      schema: .reference("steps")
    ) { node, reader in
      reader.depth += 1
      defer { reader.depth -= 1 }
      return reader.steps(node)
    }
    shape.check = { steps, _ in
      steps.isEmpty ? Complaint("there are no steps", expected: "at least one") : nil
    }
    return shape
  }
}

extension Shape where Value == [Combining.Input] {
  /// The inputs of a combination.
  static var inputs: Self {
    let count = "from 2 to \(Combining.mostInputs) inputs"
    var shape = Shape(
      "\(count) such as { notify: battery-level, as: battery }",
      line: "\(count): { notify battery-level as battery; … }",
      schema: .list(of: .reference("input"), 2...Combining.mostInputs),
      words: { [$0.map(\.description).joined(separator: "; ")] }
    ) { node, reader in reader.inputs(node) }
    shape.check = { inputs, limits in
      guard (2...Combining.mostInputs).contains(inputs.count) else {
        return Complaint(
          found: counted(inputs.count, "input"),
          expected: "from 2 to \(Combining.mostInputs)"
        )
      }
      return inputs.lazy.compactMap { $0.complaint(limits) }.first
    }
    shape.characteristics = { $0.map(\.target) }
    return shape
  }
}

extension StepReader {
  fileprivate mutating func inputs(_ node: Node) -> [Combining.Input]? {
    let expected = Shape<[Combining.Input]>.inputs.description.expected(self)
    let nodes = node.sequence ?? []
    if !(2...Combining.mostInputs).contains(nodes.count) {
      let found = node.sequence == nil ? node.shown : counted(nodes.count, "input")
      complain(node, Complaint(found: found, expected: expected))
    }
    var inputs: [Combining.Input] = []
    for node in nodes.prefix(Combining.mostInputs) {
      guard let input = Combining.Input.read(node, &self, expected: expected) else { continue }
      if inputs.contains(where: { $0.name == input.name }) {
        complain(node, Complaint("duplicate name '\(input.name)'", expected: "another 'as'"))
      }
      inputs.append(input)
    }
    return inputs.count == nodes.count && !inputs.isEmpty ? inputs : nil
  }
}

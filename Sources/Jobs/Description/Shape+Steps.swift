// The shape of inner steps.

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
    shape.traits.complaint = { steps, _ in
      steps.isEmpty ? Problem("there are no steps", expected: "at least one") : nil
    }
    return shape
  }
}

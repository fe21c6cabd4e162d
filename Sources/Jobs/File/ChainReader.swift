// Reads a complete chain file. Its keys are described in Plan+Keys.swift.

import Documents

/// Reads a chain, and collects all errors.
struct ChainReader {
  private let limits: PlanLimits
  private(set) var problems: [Problem] = []
  private let surroundings: IncludedSurroundings

  init(limits: PlanLimits, _ surroundings: IncludedSurroundings) {
    self.limits = limits
    self.surroundings = surroundings
  }

  mutating func plan(_ root: Node) -> Plan {
    var mapping = MappingReader(root)
    // They are read before this; here they are candidates for misspelt keys.
    for key in Declarations.keys { _ = mapping.optional(key) }
    var reader = StepReader(limits: limits, surroundings)
    reader.scope.variables = surroundings.table.names
    var plan = Plan.take(from: &mapping, &reader) ?? Plan(steps: [])
    plan.names = reader.surroundings.allNames
    // A document that is not a mapping has no further errors.
    let wrong = root.mapping == nil ? Array(mapping.problems.prefix(1)) : mapping.finish()
    problems += wrong + reader.problems
    if problems.isEmpty, let steps = root.value(of: "steps"),
      let complaint = limits.complaint(about: plan)
    {
      problems.append(complaint.at(steps))
    }
    return plan
  }
}

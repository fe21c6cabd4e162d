// Limits of the document of a chain.

import Documents

extension PlanLimits {
  /// Bounds on the document of a chain: each level of steps is a list of mappings.
  var document: DocumentLimits {
    DocumentLimits(octets: 1 << 22, depth: 2 * depth + 16, nodes: 32 * writtenSteps)
  }
}

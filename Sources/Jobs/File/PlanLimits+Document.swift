// How much a document may hold that a chain is written in.

import Documents

extension PlanLimits {
  /// Bounds on the document that a chain is written in: each step lies in a list and a mapping.
  var document: DocumentLimits {
    DocumentLimits(octets: 1 << 22, depth: 2 * depth + 16, nodes: 32 * writtenSteps)
  }
}

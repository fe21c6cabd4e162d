// The head of a chain file: name, device, limits. The steps are StepReader's.

import Bluetooth
import Documents

/// Reads a chain, collecting every complaint.
struct ChainReader {
  private let limits: PlanLimits
  private(set) var problems: [DocumentProblem] = []

  private let surroundings: IncludedSurroundings

  init(limits: PlanLimits, _ surroundings: IncludedSurroundings) {
    self.limits = limits
    self.surroundings = surroundings
  }

  mutating func plan(_ root: Node) -> Plan {
    var reader = MappingReader(root)
    // They are read before this; here they are keys that may be misspelt.
    for key in Declarations.keys { _ = reader.optional(key) }
    let name = reader.optional("name", expected: "a text") { $0.text }
    let device = reader.optional("device").flatMap { target($0) }
    let timeout = reader.optional("timeout", expected: Self.limit) { $0.positiveDuration }
    let retry = reader.optional("retry").map { rule($0) }
    let pairing = reader.optional("pairing")
    let link = linkRule(&reader)
    let steps = reader.required("steps", expected: "a list of steps")
    // Nothing more can be said of a document that is no mapping.
    problems += root.mapping == nil ? Array(reader.problems.prefix(1)) : reader.finish()
    var stepReader = StepReader(limits: limits, surroundings)
    stepReader.scope.variables = surroundings.table.names
    var plan = Plan(
      name: name,
      device: device,
      timeout: timeout ?? Plan.usualTimeout,
      retry: retry ?? RetryRule(),
      pairing: pairing.map { stepReader.pairingRule($0) },
      steps: steps.map { stepReader.steps($0, depth: 0) } ?? []
    )
    plan.link = link
    problems += stepReader.problems
    if problems.isEmpty, let steps, let complaint = limits.complaint(about: plan) {
      problems.append(complaint.about(steps))
    }
    return plan
  }

  static let limit = "a duration above 0 such as 10s"

  /// `keep`, `fresh`, `take-over` and `wait-for-adapter`.
  private func linkRule(_ reader: inout MappingReader) -> LinkRule {
    var rule = LinkRule()
    let truth = "true or false"
    rule.isKept = reader.optional("keep", expected: truth) { $0.truth } ?? false
    rule.isFresh = reader.optional("fresh", expected: truth) { $0.truth } ?? false
    rule.takesOver = reader.optional("take-over", expected: truth) { $0.truth } ?? false
    rule.adapterWait = reader.optional("wait-for-adapter", expected: Self.limit) {
      $0.positiveDuration
    }
    return rule
  }

  // MARK: The device

  private mutating func target(_ node: Node) -> DeviceTarget? {
    guard node.mapping?.isEmpty == false else {
      let message = "\(node.shown) stands here"
      problems.append(Complaint(message, expected: MappingReader.oneOfDevices).about(node))
      return nil
    }
    var reader = MappingReader(node)
    let target = reader.target(node)
    problems += reader.finish()
    return target
  }

  // MARK: Trying again

  mutating func rule(_ node: Node) -> RetryRule {
    guard node.mapping?.isEmpty == false else {
      let expected = "tries such as { attempts: 3, backoff: 500ms }"
      problems.append(Complaint("\(node.shown) stands here", expected: expected).about(node))
      return RetryRule()
    }
    var reader = MappingReader(node)
    let most = limits.attempts
    let attempts = reader.required("attempts", expected: "how many tries, from 1 to \(most)") {
      $0.integer.flatMap { (1...max(1, most)).contains($0) ? $0 : nil }
    }
    let backoff = reader.optional("backoff", expected: "a duration such as 500ms") { $0.duration }
    problems += reader.finish()
    let usual = RetryRule()
    return RetryRule(attempts: attempts ?? usual.attempts, backoff: backoff ?? usual.backoff)
  }
}

extension Node {
  /// A duration above zero.
  var positiveDuration: Duration? { duration.flatMap { $0 > .zero ? $0 : nil } }
}

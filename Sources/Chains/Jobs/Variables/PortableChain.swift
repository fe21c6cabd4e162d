// A chain for another host: a text without references to files, and the values of its variables.
//
// The text is YAML in flow style, generated from the document, so it does not depend on the path of
// the chain file. The receiver needs neither the sender's files nor its environment.

package import Documents

/// A chain that can be sent to another host.
package struct PortableChain: Hashable, Sendable {
  /// The reason that a chain cannot be sent.
  package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// The text of the chain, the same for all devices of a batch.
  package let text: String
  /// The values of the variables for one device.
  package let values: [String: String]
  /// The names of the values that come from this host's environment.
  package let fromEnvironment: Set<String>

  /// Creates the portable chain of a device in a batch.
  ///
  /// - Parameter environment: Returns an environment variable; called only for those that the chain
  ///   names.
  /// - Throws: ``Refusal`` with the part that cannot be sent.
  package init(
    _ device: BatchDevice, environment: (String) -> String? = ChainTemplate.environment
  ) throws(Refusal) {
    func refused(_ why: String) -> Refusal {
      Refusal(description: "the chain cannot be sent to a fleet: \(why)")
    }
    guard let origin = device.origin.value, let root = origin.template.wholeDocument else {
      throw refused("it includes other files")
    }
    guard !device.plan.hasSecrets else { throw refused("it has passkeys") }
    if let command = device.plan.commands.first {
      throw refused("it runs the program \(command.command.program)")
    }
    if let image = device.plan.firmware.first {
      throw refused("it has the firmware image \(image.path)")
    }
    let body = Self.text(root, settings: device.plan)
    var values: [String: String] = [:]
    let (texts, declared) = (root.scalars, root.value(of: "variables"))
    for binding in origin.bindings.all {
      let isUsed = texts.contains { $0 == binding.name || $0.contains("{\(binding.name)}") }
      if isUsed || declared?.value(of: binding.name) != nil { values[binding.name] = binding.text }
    }
    var taken: Set<String> = []
    for node in root.value(of: "environment")?.sequence ?? [] {
      guard let name = node.text, values[name] == nil, let value = environment(name) else {
        continue
      }
      values[name] = value
      taken.insert(name)
    }
    (text, self.values, fromEnvironment) = (body, values, taken)
    // Names and values from outside the text would be missing on the other host, so the text is
    // read back and compared.
    let read: Plan
    do {
      read = try Self.plan(body, values)
    } catch {
      throw refused("\(error)")
    }
    var wanted = device.plan
    wanted.device = nil
    // A fleet finds the device itself, and rejects a name that several devices have.
    wanted.link.isUnique = false
    wanted.link.choice = nil
    guard read.description == wanted.description else {
      throw refused("it needs more than its own text, such as a file of names")
    }
  }

  /// Creates the plan of a text and its values.
  ///
  /// - Parameter environment: Returns an environment variable that the chain may read there; none by default.
  /// - Throws: `DocumentErrors` with all errors.
  package static func plan(
    _ text: String, _ values: [String: String],
    environment: (String) -> String? = { _ in nil }
  ) throws(DocumentErrors) -> Plan {
    var bindings = Bindings()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      bindings.bind(name, to: value, from: "the job")
    }
    var plan = try ChainTemplate.parse(text, file: "chain")
      .plan(with: bindings, environment: environment)
    plan.device = nil
    // Places would refer to the generated text, which users never see.
    plan.steps = plan.steps.map { step in step.changed { $0.source = nil } }
    return plan
  }

  // MARK: The text

  private static func text(_ root: Node, settings plan: Plan) -> String {
    let own = [
      "device", "timeout", "retry", "keep", "fresh", "take-over", "exclusive", "wait-for-adapter",
    ]
    var entries = (root.mapping ?? []).filter { !own.contains($0.key) }.map { entry in
      "\(entry.key.quoted): \(text(entry.value))"
    }
    entries.append("timeout: \(plan.timeout.written)")
    if plan.retry != RetryRule() {
      let (attempts, backoff) = (plan.retry.attempts, plan.retry.backoff.written)
      entries.append("retry: {attempts: \(attempts), backoff: \(backoff)}")
    }
    if plan.link.isKept { entries.append("keep: true") }
    if plan.link.isFresh { entries.append("fresh: true") }
    if plan.link.takesOver { entries.append("take-over: true") }
    if plan.link.isExclusive { entries.append("exclusive: true") }
    if let wait = plan.link.adapterWait { entries.append("wait-for-adapter: \(wait.written)") }
    return "{" + entries.joined(separator: ", ") + "}\n"
  }

  private static func text(_ node: Node) -> String {
    switch node.content {
    case .scalar(let text, isPlain: true):
      // Quotes would turn a number, a boolean or null into text.
      if node.isNull { return "null" }
      return WrittenNode.needsQuotes(text, inRow: true) ? text.quoted : text
    case .scalar(let text, isPlain: false): return text.quoted
    case .sequence(let nodes):
      return "[" + nodes.map { text($0) }.joined(separator: ", ") + "]"
    case .mapping(let entries):
      let parts = entries.map { "\($0.key.quoted): \(text($0.value))" }
      return "{" + parts.joined(separator: ", ") + "}"
    }
  }
}

extension Plan {
  /// Whether pairing, in a step or for the entire chain, uses a passkey.
  fileprivate var hasSecrets: Bool {
    pairing?.secret != nil
      || allSteps.contains { step in
        if case .pair(let pair) = step.action { pair.rule.secret != nil } else { false }
      }
  }
}

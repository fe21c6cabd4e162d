// The verbs of chains, and the kind of step of each.

/// The word that names the kind of a step.
enum StepVerb: String, CaseIterable, Sendable {
  case read, write, notify, exchange, poll, combine, scan, sleep, `repeat`, when, assert
  case `try`, include
  case connect, disconnect, rssi, log, command, pair, unpair, trust, mtu
  case connectionParameters = "connection-parameters"
  case services
  case readDescriptor = "read-descriptor"
  case writeDescriptor = "write-descriptor"

  /// The meaning of a verb.
  enum Meaning {
    /// A step of a kind.
    case kind(any StepKind.Type)
    /// The steps of a file.
    case file
  }

  var meaning: Meaning {
    switch self {
    case .read: .kind(ReadStep.self)
    case .write: .kind(Write.self)
    case .notify: .kind(Listening.self)
    case .exchange: .kind(Exchanging.self)
    case .poll: .kind(Polling.self)
    case .combine: .kind(Combining.self)
    case .scan: .kind(Scanning.self)
    case .sleep: .kind(SleepStep.self)
    case .repeat: .kind(RepeatStep.self)
    case .when: .kind(WhenStep.self)
    case .assert: .kind(AssertStep.self)
    case .try: .kind(TryStep.self)
    case .include: .file
    case .connect: .kind(ConnectStep.self)
    case .disconnect: .kind(DisconnectStep.self)
    case .rssi: .kind(RSSIStep.self)
    case .log: .kind(LogStep.self)
    case .command: .kind(Command.self)
    case .pair: .kind(PairStep.self)
    case .unpair: .kind(UnpairStep.self)
    case .trust: .kind(TrustStep.self)
    case .mtu: .kind(MTUStep.self)
    case .connectionParameters: .kind(ConnectionParametersStep.self)
    case .services: .kind(ServicesStep.self)
    case .readDescriptor: .kind(ReadDescriptorStep.self)
    case .writeDescriptor: .kind(WriteDescriptorStep.self)
    }
  }

  /// The keys of its steps, the verb first.
  var keys: [KeyDescription] {
    switch meaning {
    case .kind(let kind): kind.descriptions
    case .file: Inclusion.descriptions
    }
  }

  /// Whether it may be used without keys.
  var mayBeBare: Bool {
    switch meaning {
    case .kind(let kind): kind.mayBeBare
    case .file: false
    }
  }

  /// What its steps do.
  var documentation: String {
    switch meaning {
    case .kind(let kind): kind.documentation
    case .file: Inclusion.documentation
    }
  }

  /// Words of other programs and languages for the same, for suggestions.
  var synonyms: [String] {
    switch self {
    case .read: ["get"]
    case .write: ["set", "send"]
    case .notify: ["subscribe", "listen", "watch", "observe", "indicate"]
    case .exchange: ["request"]
    case .scan: ["find", "discover"]
    case .sleep: ["wait", "delay", "pause"]
    case .repeat: ["loop", "for", "while"]
    case .when: ["if"]
    case .assert: ["check", "expect", "verify"]
    case .try: ["catch", "finally"]
    case .include: ["import", "run", "call"]
    case .disconnect: ["close"]
    case .log: ["print", "echo", "message"]
    case .command: ["exec", "shell", "program", "script"]
    case .pair: ["bond"]
    case .unpair: ["unbond", "forget", "remove"]
    case .poll, .combine, .connect, .rssi, .trust, .mtu, .connectionParameters, .services,
      .readDescriptor, .writeDescriptor:
      []
    }
  }

  /// The verb that a word probably means; nil for a word that is near none.
  static func meant(by word: String) -> StepVerb? {
    let word = word.lowercased()
    if let verb = allCases.first(where: { $0.synonyms.contains(word) }) { return verb }
    return Complaint.nearest(to: word, among: names).flatMap { StepVerb(rawValue: $0) }
  }

  /// The words, in the order of error messages and the documentation.
  static let names = allCases.map(\.rawValue)

  /// The other keys of each verb. A key may have the name of a verb: `rssi` is a key of `scan`.
  static let keyNames: [StepVerb: Set<String>] = Dictionary(
    uniqueKeysWithValues: allCases.map { verb in
      (verb, Set(verb.keys.map(\.name)).subtracting([verb.rawValue]))
    }
  )

  /// Whether the values of a key may use captured values, in a step of some kind.
  ///
  /// The kind with the name of the key is asked first: most such keys begin their step, and what is
  /// asked of the other kinds has to be made.
  static func isLive(_ key: String) -> Bool {
    if let own = StepVerb(rawValue: key), own.isLive(key) { return true }
    return allCases.contains { $0.isLive(key) }
  }

  private func isLive(_ key: String) -> Bool {
    switch meaning {
    case .kind(let kind): kind.isLive(key)
    case .file: Inclusion.descriptions.contains { $0.name == key && $0.shape.isLive }
    }
  }
}

extension Plan {
  /// The words that begin a step.
  package static var verbs: [String] { StepVerb.names }
}

extension Step.Action {
  /// The action with its description.
  var kind: any StepKind {
    switch self {
    case .connect: ConnectStep()
    case .disconnect: DisconnectStep()
    case .read(let target, let offset, let format):
      ReadStep(target: target, offset: offset, format: format)
    case .write(let write): write
    case .notify(let listening): listening
    case .exchange(let exchanging): exchanging
    case .poll(let polling): polling
    case .combine(let combining): combining
    case .rssi: RSSIStep()
    case .pair(let rule): PairStep(rule: rule)
    case .unpair: UnpairStep()
    case .trust(let isTrusted): TrustStep(isTrusted: isTrusted)
    case .mtu: MTUStep()
    case .connectionParameters: ConnectionParametersStep()
    case .services: ServicesStep()
    case .readDescriptor(let target, let format):
      ReadDescriptorStep(target: target, format: format)
    case .writeDescriptor(let target, let value):
      WriteDescriptorStep(target: target, value: value)
    case .scan(let scanning): scanning
    case .sleep(let duration): SleepStep(duration: duration)
    case .log(let template): LogStep(template: template)
    case .command(let command): command
    case .repeated(let count, let index, let steps):
      RepeatStep(count: count, index: index, steps: steps)
    case .when(let condition, let steps, let otherwise):
      WhenStep(condition: condition, steps: steps, otherwise: otherwise)
    case .assert(let condition): AssertStep(condition: condition)
    case .tried(let steps, let last): TryStep(steps: steps, last: last)
    }
  }
}

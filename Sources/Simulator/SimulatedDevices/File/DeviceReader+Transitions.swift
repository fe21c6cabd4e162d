// The triggers and actions of transitions, in a device file.

import Bluetooth
import Documents

extension DeviceReader {
  static let transitions = Shape.mapping(transitionForm).named("transition").beforeReading {
    reader in
    reader.knownVariables = reader.machine.knownVariables
    reader.machine.written = nil
  }.oneOrMore("one transition or a list", atMost: FileLimits.transitions, of: "transitions")

  // MARK: Keys

  /// The keys of the triggers; a transition has one.
  private static let triggers: [DeviceKey<Transition>] = [
    trigger(
      "write",
      DeviceShape<CharacteristicSelector>.reference(.write).afterReading { _, node, reader in
        reader.machine.written = node
        reader.knownVariables.add(KnownVariables.ofWrite)
      },
      "a write to a characteristic, with `when`, `when-begins` or `when-like` as above"
    ) { .write($0, .any) },
    trigger("read", .reference(.read), "a read, before the value is returned") { .read($0) },
    trigger("subscribe", .reference(.notify), "the beginning of a subscription") { .subscribe($0) },
    trigger("unsubscribe", .reference(.notify), "the end of a subscription") { .unsubscribe($0) },
    trigger("link", linkEnd, "the end of the connection") { .linkEnd },
    trigger("after", DeviceShape<Duration>.period, "a time after the state was entered, once") {
      .after($0)
    },
    trigger("every", DeviceShape<Duration>.period, "repeatedly while the state lasts") {
      .every($0)
    },
  ]

  private static let linkEnd = DeviceShape<Void>("down", schema: .words(["down"])) { node, _ in
    node.text == "down" ? () : nil
  }

  private static func trigger<Value>(
    _ name: String, _ shape: DeviceShape<Value>, _ doc: String,
    _ make: @escaping @Sendable (Value) -> Transition.Trigger
  ) -> DeviceKey<Transition> {
    DeviceKey(name, shape, doc) { transition, value, _ in transition.trigger = make(value) }
  }

  static let transitionForm = DeviceForm<Transition>(
    "What happens when something happens.", Transition(),
    triggers + patternKeys(\.pattern) + [
      DeviceKey(
        "if", \.conditions, comparison.oneOrMore("a comparison or a list"), usual: "",
        "what must be true: comparisons of calculations, joined by `and`, `or` and `not`; all of a list"
      ),
      DeviceKey("refuse", \.refusal, .errorCode, "the error that a write or read is refused with"),
      DeviceKey("do", \.actions, actions, usual: "", "what is done"),
      DeviceKey(
        "to", \.target, target, usual: "the state and its timers continue",
        "the next state; the current one, if named, is entered again"
      ),
    ],
    rules: [
      .exclusive(triggers.map(\.name)),
      .some(
        of: triggers.map(\.name), "missing trigger",
        expected: "one of " + triggers.map(\.name).joined(separator: ", ")
      ),
      .exclusive(patterns),
      .only("when", with: ["write"], "'when' is for a 'write'"),
      .only("when-begins", with: ["write"], "'when-begins' is for a 'write'"),
      .only("when-like", with: ["write"], "'when-like' is for a 'write'"),
      .only("refuse", with: ["write", "read"], "only a write or a read can be refused"),
      .never("do", with: "refuse", "what is refused brings nothing about"),
    ]
  )

  private static let comparison = DeviceShape<Expression>(
    "a comparison such as $received >= $size",
    schema: Schema([
      "type": "string", "pattern": "(<=|>=|!=|<|>|=)",
      "description": "A condition: $received >= $size and $flags & 1 = 0.",
    ]).named("condition")
  ) { node, reader in
    node.text == nil ? nil : reader.expression(node, reader.knownVariables, isCondition: true)
  }

  // MARK: Actions

  struct MachineActionEntry: Sendable {
    var response = ActionEntry()
    /// The actions of the other keys than `set` and `notify`.
    var actions: [MachineAction] = []
  }

  static let actions: DeviceShape<[MachineAction]> = {
    let action = DeviceShape<[MachineAction]>(
      "an action", schema: machineActionForm.schema.named("machineAction")
    ) { node, reader in
      let entry = machineActionForm.read(node, &reader)
      return entry.actions + reader.responses(entry.response, node)
    }
    return action.oneOrMore("one action or a list", atMost: FileLimits.responses, of: "actions")
      .map { $0.flatMap(\.self) }
  }()

  /// The action of `set` or `notify`, if there is one.
  private mutating func responses(_ entry: ActionEntry, _ node: Node) -> [MachineAction] {
    guard let action = action(entry) else { return [] }
    if action.characteristic == nil {
      guard let written = machine.written else {
        problems.append(node.problem("the key 'on' is missing", expected: "a characteristic"))
        return []
      }
      // The written characteristic can be stored; a notification also requires its property.
      if action.kind == .notify { _ = reference(written, .notify) }
    }
    return [.respond(action)]
  }

  static let machineActionForm = DeviceForm<MachineActionEntry>(
    "One thing that a machine does.", MachineActionEntry(),
    responseKeys(\.response) + [
      assignments(
        "let", .any([ValueSchemas.expression, ValueSchemas.template]), of: nil,
        "variables and what they become, one after the other"
      ) { reader, name, node in
        switch reader.knownVariables.kind(of: name) {
        case .number: reader.expression(node, reader.knownVariables).map { .number(name, $0) }
        case .octets: reader.template(node, reader.knownVariables).map { .octets(name, $0) }
        case .table, nil: nil
        }
      },
      assignments(
        "crc32", ValueSchemas.template, of: .number,
        "CRC-32 variables, and the bytes that are added to each"
      ) {
        reader,
        name,
        node in
        reader.template(node, reader.knownVariables).map { .checksum(name, $0) }
      },
      DeviceKey("disconnect", nowOrLater, "the device disconnects, `now` or after a duration") {
        entry,
        delay,
        _ in entry.actions = [.disconnect(after: delay)]
      },
      DeviceKey(
        "request-security", nowOrLater,
        "the device sends a [Security Request](#a-device-that-asks-to-pair), `now` or after a duration"
      ) { entry, delay, _ in entry.actions = [.requestSecurity(after: delay)] },
      DeviceKey(
        "restart",
        .delay,
        "the device disappears for that time; then its machines start again, and its values stay"
      ) { entry, pause, _ in entry.actions = [.restart(pause)] },
    ],
    rules: [
      .one(of: kinds, "nothing to be done", expected: "one of " + kinds.joined(separator: ", ")),
      .only("on", with: ["set", "notify"], "'on' is for 'set' and 'notify'"),
      .only("after", with: ["set", "notify"], "'after' is for 'set' and 'notify'"),
    ]
  )

  /// The keys of the actions; an action has one.
  private static let kinds = [
    "set", "notify", "let", "crc32", "disconnect", "request-security", "restart",
  ]

  private static let nowOrLater = DeviceShape<Duration>(
    "a duration from 0s to 1h, or now",
    schema: .any([Schema(["const": "now"]), DeviceShape<Duration>.delay.schema])
  ) { node, _ in
    if node.text == "now" { return .zero }
    return node.duration.flatMap { FileLimits.delay.contains($0) ? $0 : nil }
  }

  /// A key that assigns values to variables.
  private static func assignments(
    _ name: String, _ value: @autoclosure @escaping @Sendable () -> Schema, of kind: VariableKind?,
    _ doc: String, _ make: @escaping @Sendable (inout DeviceReader, String, Node) -> MachineAction?
  ) -> DeviceKey<MachineActionEntry> {
    let shape = DeviceShape<[MachineAction]>("a mapping", schema: .map(of: value())) {
      node,
      reader in
      reader.entries(node).compactMap { entry in
        guard reader.isVariable(entry, of: kind) else { return nil }
        return make(&reader, entry.key, entry.value)
      }
    }
    return DeviceKey(name, shape, doc) { entry, actions, _ in entry.actions = actions }
  }

  /// True if an entry names a variable of the machine; of this kind, unless it is nil.
  private mutating func isVariable(_ entry: Node.Entry, of kind: VariableKind?) -> Bool {
    guard machine.variables.contains(where: { $0.name == entry.key }) else {
      _ = variableName(name(entry), kind ?? .number, KnownVariables(machine.variables))
      return false
    }
    return kind.map { variableName(name(entry), $0, knownVariables) != nil } ?? true
  }
}

extension Transition {
  /// The written values that a `write` trigger matches; without effect for other triggers.
  fileprivate var pattern: ResponseRule.Pattern {
    get { if case .write(_, let pattern) = trigger { pattern } else { .any } }
    set { if case .write(let written, _) = trigger { trigger = .write(written, newValue) } }
  }
}

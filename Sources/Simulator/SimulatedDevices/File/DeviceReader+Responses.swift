// The effects of a write in a device file.

import Bluetooth
import Documents

extension DeviceReader {
  static let responseShape = Shape.mapping(responseForm).named("response").beforeReading {
    $0.knownVariables = KnownVariables.ofWrite
  }

  static let responseForm = DeviceForm<ResponseRule>(
    "What a write brings about.", ResponseRule(),
    patternKeys(\.pattern) + [
      DeviceKey("refuse", \.refusal, .errorCode, "the error that the write is refused with"),
      DeviceKey(
        "then", \.actions,
        responseActionShape.oneOrMore(
          "one action or a list", atMost: FileLimits.responses, of: "actions"
        ),
        usual: "", "what is done"
      ),
    ],
    rules: [
      .exclusive(patterns), .never("then", with: "refuse", "a refused write brings nothing about"),
    ]
  )

  // MARK: Patterns

  static let patterns = ["when", "when-begins", "when-like"]

  /// The keys for the written values of a rule. Later keys may use the variables of the pattern.
  static func patternKeys<Payload>(
    _ path: any WritableKeyPath<Payload, ResponseRule.Pattern> & Sendable
  ) -> [DeviceKey<Payload>] {
    let like = DeviceShape<BytePattern>.pattern.afterReading { pattern, _, reader in
      reader.knownVariables.add(KnownVariables(pattern.tokens.compactMap(\.named)))
    }
    return [
      DeviceKey("when", wanted, "exactly this value; of a described one, these fields") {
        payload,
        pattern,
        _ in
        payload[keyPath: path] = pattern
      },
      DeviceKey("when-begins", .octets, "values that begin with this") { payload, octets, _ in
        payload[keyPath: path] = .beginning(octets)
      },
      DeviceKey("when-like", like, "values that fit a [pattern](#patterns)") {
        payload,
        pattern,
        _ in
        payload[keyPath: path] = .like(pattern)
      },
    ]
  }

  /// The value that a write must have: bytes, or some fields of a described value.
  private static let wanted = DeviceShape<ResponseRule.Pattern>(
    "a value such as { u8: 87 }", schema: ValueSchemas.value
  ) { node, reader in
    guard let entry = node.mapping?.first, node.mapping?.count == 1,
      let description = reader.description(entry.key)
    else { return reader.octets(node).map { .exactly($0) } }
    return reader.content(entry.value, of: description, KnownVariables(), .compared).map {
      .described(DescribedPattern(description: description, content: $0))
    }
  }

  // MARK: Actions

  /// The keys of an action: one value, and the characteristic that it is stored in.
  struct ActionEntry: Sendable {
    var set: ValueTemplate?
    var notify: ValueTemplate?
    var delay = Duration.zero
    var target: Located<CharacteristicSelector>?
  }

  /// The keys that store a value, with or without sending it.
  static func responseKeys<Payload>(
    _ path: any WritableKeyPath<Payload, ActionEntry> & Sendable
  ) -> [DeviceKey<Payload>] {
    [
      DeviceKey("set", .template, "stores a value") { payload, value, _ in
        payload[keyPath: path].set = value
      },
      DeviceKey("notify", .template, "stores a value and sends it to subscribers") {
        payload,
        value,
        _ in payload[keyPath: path].notify = value
      },
      DeviceKey("on", .selector, usual: "the one that was written", "another characteristic") {
        payload,
        target,
        node in
        payload[keyPath: path].target = Located(value: target, node: node)
      },
      DeviceKey("after", .delay, usual: "0s", "the delay") { payload, delay, _ in
        payload[keyPath: path].delay = delay
      },
    ]
  }

  static let responseActionForm = DeviceForm<ActionEntry>(
    "Keeps a value (set), or keeps it and sends it (notify).", ActionEntry(), responseKeys(\.self),
    rules: [.one(of: ["notify", "set"], "nothing to be done", expected: "either notify or set")]
  )

  private static let responseActionShape = DeviceShape<ResponseAction>(
    "an action", schema: responseActionForm.schema.named("action")
  ) { node, reader in
    let before = reader.problems.count
    let entry = responseActionForm.read(node, &reader)
    let action = reader.action(entry)
    // The problem is already reported.
    if action == nil, reader.problems.count == before {
      reader.problems.append(node.problem(expected: "an action"))
    }
    return action
  }

  /// The action with these keys; nil without a value.
  mutating func action(_ entry: ActionEntry) -> ResponseAction? {
    let kind = entry.notify == nil ? ResponseAction.Kind.set : .notify
    if let target = entry.target {
      let need = kind == .notify ? Reference.Need.notify : .set
      references.append(Reference(characteristic: target.value, node: target.node, need: need))
    }
    return (entry.notify ?? entry.set).map { value in
      var action = ResponseAction(kind, value: value, after: entry.delay)
      action.characteristic = entry.target?.value
      return action
    }
  }
}

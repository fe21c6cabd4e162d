// Fault rules of a device file, and what they share with the faults of scenarios.

import Bluetooth
import Documents

extension DeviceReader {
  // MARK: Rules of a device

  /// A rule such as `{ on: read, nth: 2, do: refuse 0x80 }`.
  static let faultShape = DeviceShape<FaultRule>(
    "a mapping",
    schema: faultForm.schema.named("fault")
  ) { node, reader in
    let rule = faultForm.read(node, &reader)
    reader.check(rule, node)
    return rule
  }

  static let faultForm = DeviceForm<FaultRule>(
    "A fault of an operation.",
    FaultRule(on: .any, action: .none),
    [
      DeviceKey(
        "on",
        \.on,
        .operation(among: FaultKind.allCases),
        isRequired: true,
        "the operations it affects; a `command` is a write without response"
      ),
      DeviceKey(
        "do",
        \.action,
        operationFault,
        isRequired: true,
        "what happens to them, see below"
      ),
      DeviceKey(
        "characteristic",
        \.characteristic,
        .reference(.several),
        usual: "all",
        "only operations on this one"
      ),
    ] + occurrenceKeys(\.occurrence) + [
      burstKey(\.burst),
      DeviceKey("from", .delay, usual: "0s", "only operations from then on, since the start") {
        rule,
        from,
        _ in rule.window = from..<max(from, rule.window?.upperBound ?? always)
      },
      DeviceKey("until", .delay, usual: "for good", "only operations before, since the start") {
        rule,
        until,
        _ in
        let from = rule.window?.lowerBound ?? .zero
        rule.window = from..<max(from, until)
      },
    ],
    rules: [.exclusive(occurrences)]
  )

  private mutating func check(_ rule: FaultRule, _ node: Node) {
    if node.value(of: "on")?.text == rule.on.rawValue, !rule.on.hasCharacteristic, rule.on != .any,
      rule.characteristic != nil, let characteristic = node.value(of: "characteristic")
    {
      problems.append(characteristic.problem("'\(rule.on)' does not take a characteristic"))
    }
    if let action = node.value(of: "do"), rule.action != .none,
      node.value(of: "on")?.text == rule.on.rawValue, !rule.action.applies(to: rule.on)
    {
      problems.append(action.problem("the fault does not apply to '\(rule.on)'"))
    }
    if let until = node.value(of: "until"), rule.window?.isEmpty == true {
      problems.append(until.problem("this is not later than 'from'"))
    }
  }

  /// Longer than anything that is simulated.
  static let always = Duration.seconds(1_000_000_000)

  /// `refuse 0x80`, `lose-link`, `slow 3s` and so on.
  private static let operationFault = DeviceShape<OperationFault>(
    "one of `" + OperationFault.Row.all.map(\.example).joined(separator: "`, `") + "`",
    schema: OperationFault.Row.schema
  ) { node, reader in
    let words = (node.text ?? "").split(separator: " ").map(String.init)
    guard let row = OperationFault.Row.all.first(where: { $0.word == words.first }) else {
      let known = OperationFault.Row.all.map(\.word)
      reader.problems.append(reader.wrongWord(node, words.first, known, "a fault"))
      return nil
    }
    let argument = words.count == 2 ? words[1] : nil
    switch row.making {
    case .plain(let fault):
      if words.count == 1 { return fault }
      reader.problems.append(
        reader.wrongWord(node, words[0], OperationFault.Row.all.map(\.word), "a fault")
      )
      return nil
    case .code(let make):
      guard let argument else { break }
      if let code = ATTErrorCode(written: argument) { return make(code) }
      reader.problems.append(invalidErrorCode(node, argument))
      return nil
    case .time(_, let make):
      guard let argument else { break }
      if let time = Duration(written: argument), FileLimits.delay.contains(time) {
        return make(time)
      }
      reader.problems.append(
        node.problem("expected \(DeviceShape<Duration>.delay.expected), found '\(argument)'")
      )
      return nil
    }
    reader.problems.append(node.problem(expected: row.example))
    return nil
  }

  // MARK: Which of them

  static let occurrences = ["nth", "every", "probability"]

  private static let ordinal = DeviceShape<Int>.integer(1...1_000_000_000)

  static func nthKey<Payload>(
    _ path: any WritableKeyPath<Payload, FaultOccurrence> & Sendable
  ) -> DeviceKey<Payload> {
    DeviceKey("nth", ordinal, "only that one, counted from 1") { payload, nth, _ in
      payload[keyPath: path] = .nth(nth)
    }
  }

  static func probabilityKey<Payload>(
    _ path: any WritableKeyPath<Payload, FaultOccurrence> & Sendable
  ) -> DeviceKey<Payload> {
    DeviceKey(
      "probability",
      .number(0...1),
      usual: "1",
      "each with that probability, drawn from the seed"
    ) {
      payload,
      probability,
      _ in payload[keyPath: path] = .probability(probability)
    }
  }

  /// `nth`, `every` and `probability`, one of which may be there.
  static func occurrenceKeys<Payload>(
    _ path: any WritableKeyPath<Payload, FaultOccurrence> & Sendable
  ) -> [DeviceKey<Payload>] {
    let every = DeviceKey<Payload>("every", ordinal, usual: "1", "every n-th") {
      payload,
      step,
      _ in payload[keyPath: path] = .every(step)
    }
    return [nthKey(path), every, probabilityKey(path)]
  }

  static func burstKey<Payload>(
    _ path: any WritableKeyPath<Payload, Int> & Sendable
  ) -> DeviceKey<Payload> {
    DeviceKey(
      "burst",
      path,
      .integer(1...FileLimits.burst),
      usual: "1",
      "how many operations in a row are affected when one is"
    )
  }
}

extension Shape where State == DeviceReader, Value == FaultKind {
  /// One of some kinds of operations.
  static func operation(among kinds: [FaultKind]) -> DeviceShape<FaultKind> {
    let words = kinds.map(\.rawValue)
    return DeviceShape(
      "one of `" + words.joined(separator: "`, `") + "`",
      schema: .words(words),
      shown: { $0.rawValue }
    ) { node, reader in
      guard let kind = node.text.flatMap({ FaultKind(rawValue: $0) }) else {
        let known = FaultKind.allCases.map(\.rawValue)
        reader.problems.append(reader.wrongWord(node, node.text, known, "an operation"))
        return nil
      }
      if kinds.contains(kind) { return kind }
      reader.problems.append(
        node.problem(
          "the fault does not apply to '\(kind)'",
          expected: "one of " + words.joined(separator: ", ")
        )
      )
      return nil
    }
  }
}

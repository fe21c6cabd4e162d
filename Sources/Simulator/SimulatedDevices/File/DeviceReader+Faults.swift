// The effects of faults on operations, and the selection of operations, in device and scenario
// files.

import Bluetooth
import Documents

extension DeviceReader {
  /// A time longer than any simulation.
  static let always = Duration.seconds(1_000_000_000)

  /// `refuse 0x80`, `lose-link`, `slow 3s` and so on.
  static let operationFault = DeviceShape<OperationFault>(
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

  // MARK: The selection of operations

  static let occurrences = ["nth", "every", "probability"]

  static let nthKey = DeviceKey<FaultEntry>("nth", count, "only that one, counted from 1") {
    entry,
    nth,
    _ in entry.occurrence = .nth(nth)
  }

  static let probabilityKey = DeviceKey<FaultEntry>(
    "probability", .number(0...1), usual: "1", "each with that probability, drawn from the seed"
  ) { entry, probability, _ in entry.occurrence = .probability(probability) }

  /// `nth`, `every` and `probability`, which exclude each other, and `burst`.
  static let occurrenceKeys: [DeviceKey<FaultEntry>] = [
    nthKey,
    DeviceKey("every", count, usual: "1", "every n-th") { entry, step, _ in
      entry.occurrence = .every(step)
    },
    probabilityKey,
    DeviceKey(
      "burst", \.burst, .integer(1...FileLimits.burst), usual: "1",
      "how many operations in a row are affected when one is"
    ),
  ]

  /// The keys for the time in which a rule applies.
  static let windowKeys: [DeviceKey<FaultEntry>] = [
    DeviceKey("from", \.at, .delay, usual: "0s", "only operations from then on, since the start"),
    DeviceKey(
      "until", \.until, .delay, usual: "for good", "only operations before, since the start"
    ),
  ]
}

extension Shape where State == DeviceReader, Value == FaultKind {
  /// One of these kinds of operations.
  static func operation(among kinds: [FaultKind]) -> DeviceShape<FaultKind> {
    let words = kinds.map(\.rawValue)
    return DeviceShape(
      "one of `" + words.joined(separator: "`, `") + "`", schema: .words(words),
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

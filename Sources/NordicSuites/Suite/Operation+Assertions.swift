// What an operation asserts, as lines for a dry run.

import Bluetooth

extension Operation {
  /// A line for the trigger, and one for each assertion.
  var assertionLines: [String] {
    switch action {
    case .read(_, let assertion): assertion.map { [$0.line] } ?? []
    case .awaitNotification(_, let trigger, let assertion):
      (trigger.map { ["trigger " + $0.line(target: $0.target)] } ?? [])
        + (assertion.map { [$0.line] } ?? [])
    case .readRSSI(let assertion): assertion.map { [$0.line] } ?? []
    case .assertService(let assertion): assertion.characteristics.flatMap(\.lines)
    case .scan, .scanFor, .connect, .discoverServices, .refresh, .disconnect, .bond, .unbond,
      .write, .beginReliableWrite, .executeReliableWrite, .abortReliableWrite, .requestMTU, .sleep,
      .sleepWhile, .unsupported:
      []
    }
  }

  /// An assertion, its title where it has one, and its expected result.
  fileprivate static func line(
    _ assertion: String,
    _ title: String,
    _ elements: [String],
    _ expected: ExpectedResult
  ) -> String {
    var words = ["assert", assertion]
    if expected != .success { words.append("expected \(expected.rawValue)") }
    if !elements.contains(title) { words.append("– \(title)") }
    return words.joined(separator: " ")
  }
}

extension ValueAssertion {
  fileprivate var line: String {
    Operation.line("value \(Operation.hex(value))", title, ["assert-value"], expected)
  }
}

extension StrengthAssertion {
  fileprivate var line: String {
    let relation =
      switch side {
      case .equal: "="
      case .below: "<"
      case .above: ">"
      }
    return Operation.line("rssi \(relation) \(bound) dBm", title, ["assert-value"], expected)
  }
}

extension CharacteristicAssertion {
  fileprivate var lines: [String] {
    let name = names.title(of: uuid, .characteristic)
    var words = ["characteristic \(name)" + (instance == 0 ? "" : "#\(instance)")]
    words += properties.map { "\($0.name) \($0.requirement.rawValue.lowercased())" }
    let own = Operation.line(
      words.joined(separator: ", "),
      title,
      ["assert-characteristic"],
      expected
    )
    return [own] + (values.map(\.line) + descriptors.flatMap(\.lines)).map { "  " + $0 }
  }
}

extension DescriptorAssertion {
  fileprivate var lines: [String] {
    let name = names.title(of: uuid, .descriptor)
    let own = Operation.line(
      "descriptor \(name)" + (instance == 0 ? "" : "#\(instance)"),
      title,
      ["assert-descriptor", "assert-cccd"],
      expected
    )
    return [own] + values.map { "  " + $0.line }
  }
}

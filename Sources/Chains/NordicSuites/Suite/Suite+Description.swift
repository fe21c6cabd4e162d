// The text of a suite, as a dry run prints it.

public import Bluetooth
import Documents
import RunEvents

extension Suite {
  /// The tests with their operations, variables filled in. Equal suites have equal lines.
  public var lines: [String] { lines(devices: [:]) }

  /// Returns the tests with their operations, variables filled in.
  ///
  /// - Parameter devices: The devices of targets that have no address, by the targets' identifiers.
  public func lines(devices: [String: DeviceTarget]) -> [String] {
    var lines = ["\(kind.rawValue)" + (title.map { ": \($0)" } ?? "")]
    for target in targets where kind == .suite || devices[target.id] != nil {
      let name = target.name.map { " (\($0))" } ?? ""
      lines.append("target \(target.id)\(name): \(binding(of: target, devices))")
    }
    for (index, test) in runs.enumerated() {
      lines.append("test \(index + 1) \(test.id): \(test.name)")
      for (number, operation) in test.operations.enumerated() {
        lines.append("  \(number + 1)  \(operation.line(target: operation.target ?? test.target))")
        lines += operation.assertionLines.map { "       \($0)" }
      }
    }
    return lines.map(\.printable)
  }

  private func binding(of target: SuiteTarget, _ devices: [String: DeviceTarget]) -> String {
    if let device = devices[target.id] { return device.text }
    if let address = target.address { return "\(address)" }
    let isBound = runs.flatMap(\.operations).contains { operation in
      if case .scanFor(_, target.id?) = operation.action { true } else { false }
    }
    return isBound ? "bound by scan-for" : "not bound"
  }
}

extension Operation {
  /// The name and the subject of the operation, for reports and failures.
  var doing: String { subject.map { "\(name) \($0)" } ?? name }

  /// The attribute and parameters, in short.
  private var subject: String? {
    switch action {
    case .scan(let filter), .scanFor(let filter, _): filter.line
    case .device(.assertService(let assertion)): assertion.name
    case .device(.requestMTU(let octets)): "\(octets)"
    case .device(.requestPriority(let priority)): priority.rawValue
    case .device(.changePHY(let phy)): phy.nameInSuites
    case .attribute(let path, .write(let value, _)): "\(path) \(Self.hex(value))"
    // The name of the operation says which: sleep-if or sleep-until.
    case .attribute(let path, .sleepWhile(let value, _)): "\(path) is \(Self.hex(value))"
    case .attribute(let path, _): "\(path)"
    case .device, .sleep, .unsupported: nil
    }
  }

  /// Returns the operation, its attribute or parameters, and its expected result.
  fileprivate func line(target: String?) -> String {
    var words = [doing]
    if case .attribute(let path, .write(_, let isCommand)) = action, path.descriptor == nil {
      words.append("by \(isCommand ? "command" : "request")")
    }
    if let target, !isScan { words.append("on \(target)") }
    if case .scanFor(_, let bound?) = action { words.append("binds \(bound)") }
    words += timeWords
    if expected != .success { words.append("expected \(expected.rawValue)") }
    if let errorCode { words.append("with error \(errorCode)") }
    if title != name { words.append("– \(title)") }
    if isUnsupported { words.append("(not supported here)") }
    return words.joined(separator: " ")
  }

  /// The timeout or duration; empty for the default timeout.
  private var timeWords: [String] {
    let isSleep = action == .sleep
    guard let timeout else { return isSleep ? ["for the default timeout"] : [] }
    if isSleep { return ["for \(timeout.written)"] }
    return [hasNoTimeout ? "without a timeout" : "within \(timeout.written)"]
  }

  /// The line of the trigger, and those of the assertions.
  fileprivate var assertionLines: [String] {
    switch action {
    case .device(.assertService(let assertion)): return assertion.characteristics.flatMap(\.lines)
    case .device(.readRSSI(let assertion?)): return [assertion.line]
    case .device(.readPHY(let assertion?)): return [assertion.line(assertion.conditions)]
    case .attribute(_, .read(let assertion?)): return [assertion.line]
    case .attribute(_, .awaitNotification(let trigger, let assertion)):
      let triggers = trigger.map { ["trigger " + $0.line(target: $0.target)] } ?? []
      return triggers + (assertion.map { [$0.line] } ?? [])
    case .scan, .scanFor, .sleep, .unsupported, .device, .attribute: return []
    }
  }

  fileprivate static func hex(_ octets: [UInt8]) -> String {
    octets.isEmpty ? "(empty)" : "hex:" + DecodedValue.octets(octets).description
  }
}

extension Assertion {
  /// Returns the assertion, its title if it has one, and the expected result.
  fileprivate func line(_ asserted: String) -> String {
    var words = ["assert", asserted]
    if expected != .success { words.append("expected \(expected.rawValue)") }
    if !Self.elements.contains(title) { words.append("– \(title)") }
    return words.joined(separator: " ")
  }

  private static var elements: [String] {
    ["assert-value", "assert-characteristic", "assert-descriptor", "assert-cccd"]
  }
}

extension ValueAssertion {
  fileprivate var line: String { line("value \(Operation.hex(value))") }
}

extension StrengthAssertion {
  fileprivate var line: String {
    let relation =
      switch side {
      case .equal: "="
      case .below: "<"
      case .above: ">"
      }
    return line("rssi \(relation) \(bound) dBm")
  }
}

extension CharacteristicAssertion {
  fileprivate var lines: [String] {
    let words =
      ["characteristic \(path.lastName)"]
      + properties.map { "\($0.name) \($0.requirement.rawValue.lowercased())" }
    return [line(words.joined(separator: ", "))]
      + (values.map(\.line) + descriptors.flatMap(\.lines)).map { "  " + $0 }
  }
}

extension DescriptorAssertion {
  fileprivate var lines: [String] {
    [line("descriptor \(path.lastName)")] + values.map { "  " + $0.line }
  }
}

extension AdvertisementFilter {
  /// The conditions; nil for a filter without any.
  fileprivate var line: String? {
    var words: [String] = []
    if let address { words.append("address \(address)") }
    if let name { words.append("name '\(name)'") }
    if let rssi { words.append("rssi >= \(rssi)") }
    if let data { words.append("data /\(data)/") }
    if let target { words.append("target \(target)") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}

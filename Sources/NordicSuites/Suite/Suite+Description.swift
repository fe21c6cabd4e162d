// A suite as lines, for a dry run.

public import Bluetooth
import Jobs

extension Suite {
  /// The tests with their operations, variables filled in. Equal suites have equal lines.
  public var lines: [String] { lines(devices: [:]) }

  /// The tests with their operations, variables filled in.
  ///
  /// - Parameter devices: The devices of targets without an address, by the identifiers of these.
  public func lines(devices: [String: DeviceTarget]) -> [String] {
    var lines = ["\(kind.rawValue)" + (title.map { ": \($0)" } ?? "")]
    for target in targets where kind == .suite || devices[target.id] != nil {
      let name = target.name.map { " (\($0))" } ?? ""
      lines.append("target \(target.id)\(name): \(binding(of: target, devices))")
    }
    for (index, test) in runs.enumerated() {
      lines.append("test \(index + 1) \(test.id): \(test.name)")
      for (number, operation) in test.operations.enumerated() {
        let target = operation.target ?? test.target
        lines.append("  \(number + 1)  \(operation.line(target: target))")
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
  /// The operation, its attribute or parameters, and its expected result.
  func line(target: String?) -> String {
    var words = [name]
    if let subject { words.append(subject) }
    if let writeType { words.append("by \(writeType)") }
    if let target, kind != .scan { words.append("on \(target)") }
    if case .scanFor(_, let bound?) = action { words.append("binds \(bound)") }
    words += timeWords
    if expected.result != .success { words.append("expected \(expected.result.rawValue)") }
    if let code = expected.errorCode { words.append("with error \(code)") }
    if title != name { words.append("– \(title)") }
    if isUnsupported { words.append("(not supported here)") }
    return words.joined(separator: " ")
  }

  /// `request` or `command`; nil for operations that do not write a characteristic.
  private var writeType: String? {
    guard case .write(let path, _, let isCommand) = action, path.descriptor == nil else {
      return nil
    }
    return isCommand ? "command" : "request"
  }

  /// How long it may take, or takes; empty for the default timeout.
  private var timeWords: [String] {
    let isSleep = action == .sleep
    guard let timeout else { return isSleep ? ["for the default timeout"] : [] }
    if isSleep { return ["for \(timeout.written)"] }
    return timeout == .zero && isWait ? ["without a timeout"] : ["within \(timeout.written)"]
  }

  /// Whether it waits for a value: with a timeout of 0, without end.
  var isWait: Bool { listened != nil }

  /// Whether this host cannot do it, or not on this attribute.
  var isUnsupported: Bool {
    switch action {
    case .unsupported: true
    case .assertService(let assertion): assertion.uuid == .genericAccess
    case .awaitNotification(let path, let trigger, _):
      path.service == .genericAccess || trigger?.isUnsupported == true
    case .read(let path, _), .write(let path, _, _), .sleepWhile(let path, _, _):
      path.service == .genericAccess
    case .scan, .scanFor, .connect, .discoverServices, .refresh, .disconnect, .bond, .unbond,
      .beginReliableWrite, .executeReliableWrite, .abortReliableWrite, .readRSSI, .requestMTU,
      .sleep:
      false
    }
  }

  /// The kinds of target that an operation needs.
  enum Kind {
    case scan, link, none
  }

  var kind: Kind {
    switch action {
    case .scan, .scanFor: .scan
    case .sleep, .unsupported: .none
    case .connect, .discoverServices, .refresh, .disconnect, .bond, .unbond, .assertService, .read,
      .write, .beginReliableWrite, .executeReliableWrite, .abortReliableWrite, .awaitNotification,
      .readRSSI, .requestMTU, .sleepWhile:
      .link
    }
  }

  /// The attribute and parameters, in short.
  var subject: String? {
    switch action {
    case .scan(let filter), .scanFor(let filter, _): filter.line
    case .assertService(let assertion):
      "\(AttributePath.service(assertion.uuid, assertion.instance, assertion.names))"
    case .read(let path, _), .awaitNotification(let path, _, _): "\(path)"
    case .write(let path, let value, _): "\(path) \(Self.hex(value))"
    // What it waits for is in its name: sleep-if, sleep-until.
    case .sleepWhile(let path, let value, _): "\(path) is \(Self.hex(value))"
    case .requestMTU(let octets): "\(octets)"
    case .connect, .discoverServices, .refresh, .disconnect, .bond, .unbond, .beginReliableWrite,
      .executeReliableWrite, .abortReliableWrite, .readRSSI, .sleep, .unsupported:
      nil
    }
  }

  static func hex(_ octets: [UInt8]) -> String {
    octets.isEmpty ? "(empty)" : "hex:" + DecodedValue.octets(octets).description
  }
}

extension AdvertisementFilter {
  /// The conditions; nil for a filter that everything matches.
  var line: String? {
    var words: [String] = []
    if let address { words.append("address \(address)") }
    if let name { words.append("name '\(name)'") }
    if let rssi { words.append("rssi >= \(rssi)") }
    if let data { words.append("data /\(data)/") }
    if let target { words.append("target \(target)") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}

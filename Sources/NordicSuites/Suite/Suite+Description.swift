// A suite as lines, for a dry run.

import Bluetooth
import Jobs

extension Suite {
  /// The tests with their operations, variables filled in. Equal suites have equal lines.
  public var lines: [String] {
    var lines = ["\(kind.rawValue)" + (title.map { ": \($0)" } ?? "")]
    for target in targets where kind == .suite {
      let name = target.name.map { " (\($0))" } ?? ""
      lines.append("target \(target.id)\(name): \(target.address.map { "\($0)" } ?? "not bound")")
    }
    for (index, test) in runs.enumerated() {
      lines.append("test \(index + 1) \(test.id): \(test.name)")
      for (number, operation) in test.operations.enumerated() {
        lines.append("  \(number + 1)  \(operation.line(target: operation.target ?? test.target))")
      }
    }
    return lines.map { TextReport.visible($0) }
  }
}

extension Operation {
  /// The operation, its attribute or parameters, and its expected result.
  func line(target: String?) -> String {
    var words = [name]
    if let subject { words.append(subject) }
    if let target, kind != .scan { words.append("on \(target)") }
    if expected.result != .success { words.append("expected \(expected.result.rawValue)") }
    if let code = expected.errorCode { words.append("with error \(code)") }
    if title != name { words.append("– \(title)") }
    if case .unsupported = action { words.append("(not supported here)") }
    return words.joined(separator: " ")
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
      "\(AttributePath.service(assertion.uuid, assertion.instance))"
    case .read(let path, _), .awaitNotification(let path, _, _): "\(path)"
    case .write(let path, let value, _): "\(path) \(Self.hex(value))"
    case .sleepWhile(let path, let value, let isEqual):
      "\(path) \(isEqual ? "is" : "is not") \(Self.hex(value))"
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

// Writes one test as a chain.
//
// The steps for each operation are in ChainWriter+Steps.swift.

import Bluetooth
import Documents
import Jobs

/// Collects the lines of a chain.
struct ChainWriter {
  let suite: Suite
  let test: SuiteTest
  let settings: SuiteSettings
  private var body: [String] = []
  private(set) var steps = 0
  private var omissions: [Omission] = []
  /// The filter of the `scan-for` that finds the device.
  var found: AdvertisementFilter?
  /// The steps of the writes of a reliable write; nil when none is under way.
  var reliable: [[String]]?
  /// Whether the suite has connected the device at this operation. A chain connects by itself.
  var isUp = false
  /// The characteristics that the suite is subscribed to. A chain subscribes while a step listens.
  var subscribed: Set<AttributePath> = []
  /// The operations that follow the one that is converted.
  private(set) var rest: ArraySlice<Operation> = []
  let target: String?

  init(_ suite: Suite, _ test: SuiteTest, _ settings: SuiteSettings) {
    self.suite = suite
    self.test = test
    self.settings = settings
    target =
      test.target ?? test.operations.first { $0.needsDevice && $0.target != nil }.flatMap(\.target)
  }

  mutating func chain(name: String) -> ConvertedChain {
    for (index, operation) in test.operations.enumerated() {
      rest = test.operations[(index + 1)...]
      convert(operation)
    }
    if !test.operations.contains(where: { $0.action == .device(.disconnect) }) {
      pause(settings.afterTest)
    }
    let title = [suite.title, test.title, test.run].compactMap(\.self).joined(separator: ": ")
    var head = ["name: \(title.quoted)"]
    if let device = device { head.append("device: \(device)") }
    head += ["timeout: \(settings.timeout.written)", "steps:"]
    return ConvertedChain(name: name, lines: head + body, steps: steps, omissions: omissions)
  }

  /// The device as a chain names it; nil when the command line has to name it.
  private var device: String? {
    if let found {
      if let address = found.address { return "{ address: \"\(address)\" }" }
      if let name = found.name { return "{ name: \(name.quoted), exact: true }" }
    }
    let address = suite.targets.first { $0.id == target }?.address
    return address.map { "{ address: \"\($0)\" }" }
  }

  // MARK: Lines

  /// Adds a step: its first line after the dash, and lines below it.
  mutating func add(_ first: String, _ more: [String] = []) {
    body.append("  - \(first)")
    body += more.map { "    \($0)" }
    steps += 1
  }

  mutating func comment(_ text: String) {
    body.append("  # \(text.printable)")
  }

  /// Comments on an operation that a chain does by itself.
  mutating func explain(_ operation: Operation, _ reason: String) {
    comment("\(operation.doing): \(reason)")
  }

  /// Omits an operation, with the reason as a comment in the chain and in the list of omissions.
  mutating func omit(_ operation: Operation, _ reason: String) {
    explain(operation, reason)
    omissions.append(Omission(place: operation.place, message: "\(operation.doing): \(reason)"))
  }

  mutating func pause(_ duration: Duration) {
    if duration > .zero { add("sleep: \(duration.written)") }
  }

  static func hex(_ octets: [UInt8]) -> String {
    "\"\(DecodedValue.octets(octets).description)\""
  }
}

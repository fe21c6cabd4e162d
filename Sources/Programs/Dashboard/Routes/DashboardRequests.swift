// Parsing of the JSON bodies of requests that change something, with all checks that a file gets.
//
// Pure functions. Access was checked before, by the web server.

import Bluetooth
import Documents
import Jobs

/// Parses the bodies of requests.
struct DashboardRequests {
  /// The limits of a body, which is a few lines long.
  private static let limits = DocumentLimits(octets: 16 << 10, depth: 4, nodes: 200)
  /// The allowed windows of rates and intervals of reads.
  private static let periods = Duration.milliseconds(100)...Duration.seconds(24 * 3600)

  let names: AttributeNames
  /// The limit for connecting, for subscribing, and for each read.
  let limit: Duration

  /// Parses `{"device":"HRM-1","characteristics":["heart-rate-measurement"],"poll":"1m","rate":"5s"}`.
  /// The last two may be missing or null. `rssi` among the characteristics is that of the connection.
  func watch(_ body: [UInt8]) throws(DashboardRefusal) -> WatchPlan {
    var reader = try Self.reader(body)
    let target = reader.required("device", expected: "a device") { $0.text }
    let words = reader.required("characteristics", expected: "a list of characteristics") { node in
      node.texts
    }
    let poll = period("poll", &reader)
    let window = period("rate", &reader)
    try Self.finish(&reader)
    do {
      let strengths = (words ?? []).filter { WatchPlan.isRSSI($0, names) }
      let characteristics = (words ?? []).filter { !strengths.contains($0) }
      let plan = WatchPlan(
        [
          WatchPlan.Device(
            try DeviceTarget(parsing: target ?? ""),
            try characteristics.map { try CharacteristicSelector(parsing: $0, names: names) },
            measuresRSSI: !strengths.isEmpty
          )
        ],
        source: poll.map { .poll(every: $0) }
          ?? .notify(SubscriptionOptions(overflow: .dropOldest, startLimit: limit)),
        view: window.map { .rate(window: $0) } ?? .values, limit: limit
      )
      if plan.series.isEmpty { throw DashboardRefusal("expected a characteristic") }
      if let problem = plan.problem { throw DashboardRefusal(problem) }
      return plan
    } catch {
      throw error as? DashboardRefusal ?? DashboardRefusal("\(error)")
    }
  }

  private func period(_ key: String, _ reader: inout MappingReader) -> Duration? {
    guard let node = reader.optional(key), !node.isNull else { return nil }
    return reader.optional(key, expected: "a duration from 100ms to 24h") { node in
      node.duration.flatMap { Self.periods.contains($0) ? $0 : nil }
    }
  }

  /// Parses `{"text":"door opened"}`.
  static func note(_ body: [UInt8]) throws(DashboardRefusal) -> String {
    var reader = try reader(body)
    let longest = DashboardModel.longestNote
    let text = reader.required("text", expected: "a text of at most \(longest) characters") {
      node in
      node.text.flatMap { (1...longest).contains($0.count) ? $0 : nil }
    }
    try finish(&reader)
    return text ?? ""
  }

  /// Parses `{"chain":"soil.yaml","device":"Soil-1"}`. The device may be missing or null.
  static func run(_ body: [UInt8]) throws(DashboardRefusal) -> (chain: String, device: String?) {
    var reader = try reader(body)
    let chain = reader.required("chain", expected: "the file of a chain") { $0.text }
    let device = reader.optional("device")?.text
    try finish(&reader)
    return (chain ?? "", device)
  }

  /// Parses `{"batch":"fleet.yaml"}`.
  static func batch(_ body: [UInt8]) throws(DashboardRefusal) -> String {
    var reader = try reader(body)
    let batch = reader.required("batch", expected: "the file of a batch") { $0.text }
    try finish(&reader)
    return batch ?? ""
  }

  private static func reader(_ body: [UInt8]) throws(DashboardRefusal) -> MappingReader {
    guard let text = String(validating: body, as: UTF8.self) else {
      throw DashboardRefusal("expected UTF-8")
    }
    do {
      return MappingReader(try Document.parse(text, file: "the request", limits: limits))
    } catch {
      throw DashboardRefusal("\(error)")
    }
  }

  private static func finish(_ reader: inout MappingReader) throws(DashboardRefusal) {
    let problems = reader.finish()
    if !problems.isEmpty { throw DashboardRefusal("\(DocumentErrors(problems))") }
  }
}

extension Node {
  /// The elements of a list of texts; nil if the node is not one.
  fileprivate var texts: [String]? {
    guard case .sequence(let nodes) = content else { return nil }
    let texts = nodes.compactMap(\.text)
    return texts.count == nodes.count ? texts : nil
  }
}

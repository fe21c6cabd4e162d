// The report of an adapter and a device from the field, as lines of text that can be passed on.
//
// A pure value: RadioSurvey fills it. It has no address, no name and no value of a device.

import Bluetooth
import Jobs
import Signals

/// The figures of a radio survey.
struct RadioReport: Sendable {
  /// The minimum, the median and the maximum of several measurements.
  struct Spread<Value: Comparable & Sendable>: Sendable {
    let least: Value
    let median: Value
    let most: Value

    /// - Returns: nil without values.
    init?(_ values: [Value]) {
      let sorted = values.sorted()
      guard let least = sorted.first, let most = sorted.last else { return nil }
      (self.least, self.most) = (least, most)
      median = sorted[sorted.count / 2]
    }

    func text(_ shown: (Value) -> String) -> String {
      "\(shown(least)) to \(shown(most)), median \(shown(median))"
    }
  }

  /// The result of one operation: its time, or the code of its failure.
  enum Result: Hashable, Sendable {
    case took(Duration)
    case failed(String)

    var duration: Duration? {
      if case .took(let duration) = self { duration } else { nil }
    }

    var failure: String? {
      if case .failed(let code) = self { code } else { nil }
    }

    var text: String {
      switch self {
      case .took(let duration): RadioReport.shown(duration)
      case .failed(let code): code
      }
    }
  }

  /// The scan: the reports of bluetoothd.
  struct Scan: Hashable, Sendable {
    var took = Duration.zero
    /// The number of devices, and of all reports about them.
    var devices = 0
    var reports = 0
    /// The RSSI of each report about the device, in dBm.
    var strengths: [Int] = []
    /// The code of the failure that ended the scan; nil without one.
    var failure: String?
  }

  /// One connection.
  struct Connection: Sendable {
    var connecting = Result.failed("not-begun")
    var services: Result?
    var attributes = 0
    /// The MTU in bytes, or the code of the failure to read it.
    var mtu: String?
    /// The RSSI of the connection in dBm, or the code of the failure to measure it.
    var strength: String?
    var reads: [Result] = []
    var subscribing: Result?
    var notified = 0
    var disconnecting: Result?
    /// The causes of the ends of this connection, in order.
    var ends: [String] = []
  }

  /// The facts about program, host and controller, in order.
  var facts: [(name: String, value: String)] = []
  var scan = Scan()
  /// The services of the device, as UUIDs.
  var services: [BluetoothUUID] = []
  var connections: [Connection] = []
  /// The messages between this program and bluetoothd, without addresses.
  var bus: [String] = []

  static func shown(_ duration: Duration) -> String { "\(duration.decimalSeconds) s" }

  /// A UUID of the Bluetooth SIG, or the first part of a vendor's, whose last part may be an address.
  static func shown(_ uuid: BluetoothUUID) -> String {
    let text = "\(uuid)"
    return text.count > 8 ? "\(text.prefix(8))-…" : text
  }

  // MARK: Lines

  /// The whole file.
  var lines: [String] {
    ["blerun radio report 1"]
      + [
        "No address, no name and no value of a device is in it; of the UUIDs of vendors it has the first part.",
        "Read it before you pass it on.", "",
      ] + section("host", facts.map { "\($0.name.padded(to: 11)) \($0.value)" })
      + section("summary", summary) + section("connections", table)
      + section("services", services.map(Self.shown))
      + section("bus, seconds since the start", bus)
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    [title] + lines.map { "  \($0)" } + [""]
  }

  /// The figures of all connections together.
  var summary: [String] {
    var lines: [String] = []
    func add(_ name: String, _ text: String) { lines.append("\(name.padded(to: 11)) \(text)") }
    func add(_ name: String, _ results: [Result]) {
      guard !results.isEmpty else { return }
      let spread = Spread(results.compactMap(\.duration)).map { $0.text(Self.shown) }
      let done = "\(results.count { $0.duration != nil }) of \(results.count)"
      add(name, [done, spread, Self.counted(results.compactMap(\.failure))].joined(", "))
    }
    let strengths = Spread(scan.strengths).map { $0.text { "\($0)" } + " dBm" }
    add(
      "scan",
      [
        "\(Self.shown(scan.took)): \(scan.devices) devices, \(scan.reports) reports",
        "\(scan.strengths.count) of the device", strengths, scan.failure,
      ].joined(", ")
    )
    add("connect", connections.map(\.connecting))
    add("services", connections.compactMap(\.services))
    add("read", connections.flatMap(\.reads))
    add("subscribe", connections.compactMap(\.subscribing))
    add("disconnect", connections.compactMap(\.disconnecting))
    let notified = connections.filter { $0.subscribing?.duration != nil }.map(\.notified)
    if let spread = Spread(notified) { add("notified", spread.text { "\($0)" }) }
    for (name, values) in [
      ("MTU", connections.compactMap(\.mtu)), ("RSSI", connections.compactMap(\.strength)),
      ("ends", connections.flatMap(\.ends)),
    ] where !values.isEmpty { add(name, Self.counted(values) ?? "") }
    return lines
  }

  /// A line for each connection.
  private var table: [String] {
    connections.enumerated().map { index, connection in
      let reads = connection.reads
      let parts: [String?] = [
        "\("\(index + 1)".padded(to: 2)) connect \(connection.connecting.text)",
        connection.services.map {
          "services \($0.text) (\(connection.attributes) characteristics)"
        },
        connection.mtu.map { "MTU \($0)" }, connection.strength.map { "RSSI \($0)" },
        reads.isEmpty ? nil : "reads \(reads.map(\.text).joined(separator: " "))",
        connection.subscribing.map { "subscribe \($0.text), \(connection.notified) values" },
        connection.disconnecting.map { "disconnect \($0.text)" },
        connection.ends.isEmpty ? nil : "ended: \(connection.ends.joined(separator: ", "))",
      ]
      return parts.compactMap(\.self).joined(separator: "; ")
    }
  }

  /// Each text with its number: `link-lost 3 times, 517 once`; nil without texts.
  private static func counted(_ texts: [String]) -> String? {
    guard !texts.isEmpty else { return nil }
    let counts = Dictionary(grouping: texts) { $0 }.mapValues(\.count)
      .sorted { ($0.value, $1.key) > ($1.value, $0.key) }
    return counts.map { "\($0.key) \($0.value == 1 ? "once" : "\($0.value) times")" }
      .joined(separator: ", ")
  }
}

extension [String?] {
  fileprivate func joined(_ separator: String) -> String {
    compactMap(\.self).joined(separator: separator)
  }
}

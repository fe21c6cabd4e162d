// `scan`: scans for nearby devices, and keeps the last advertisement of each address.

public import Bluetooth
import Documents
import Signals

/// A scan: its duration, and the devices that it looks for.
public struct Scanning: Hashable, Sendable {
  /// How long to scan. A scan that finds no device succeeds.
  public var duration: Duration
  /// Which devices are reported.
  public var filter: ScanFilter

  /// A scan of this duration.
  ///
  /// ```swift
  /// let scan = Scanning(for: .seconds(5), filter: ScanFilter(name: "Soil-*", rssi: -80))
  /// let step = Step(.scan(scan))
  /// ```
  public init(for duration: Duration, filter: ScanFilter = ScanFilter()) {
    self.duration = duration
    self.filter = filter
  }
}

extension Scanning: StepKind {
  init() { self.init(for: .zero) }

  static let verb = "scan"
  static let synonyms = ["find", "discover"]
  static let documentation = "scans for nearby devices; needs no connection"
  static let common: [Key<Step>] = [.as, .expect]
  static let titleKeys = keys.count
  static let needsLink = false
  static let precedesLink = true
  static let keys: [Key<Scanning>] = [
    Key("scan", \.duration, .duration, line: .option("for"), "how long"),
    Key("name", \.filter.name, .deviceName, "the name of the devices"),
    Key(
      "exact", \.filter.isExact, .truth, default: false, line: .flag("exact"),
      "whether the case of the name counts"
    ),
    Key("address", \.filter.address, .address, "their address"),
    Key(
      "service", \.filter.services, .services, default: [], line: .repeated("service"),
      "a service that they advertise, or a list of services"
    ),
    Key("rssi", \.filter.rssi, .rssi, "their minimum RSSI, in dBm"),
    Key(
      "manufacturer",
      \.filter.manufacturer,
      .manufacturer,
      "a company identifier, with the start of its data"
    ),
    Key(
      "service-data",
      \.filter.serviceData,
      .serviceData,
      "a service, with the start of its data"
    ),
    Key(
      "passive", \.filter.isPassive, .truth, default: false, line: .flag("passive"),
      "whether to scan passively, without scan requests"
    ),
  ]

  static let rules: [KeyRule] = [.flag("exact", with: ["name"])]

  var action: Step.Action { .scan(self) }
  var subjects: Subjects? { .scanned }
  var fields: [String]? { ["count", "devices"] }
  var doing: String { "scanning" }

  func run(_ run: StepRun) async throws {
    var received = ReceivedDevices()
    defer { run.outcome = .scanned(received.all) }
    run.awaits(limit: duration)
    try await listen(with: run.service, into: &received)
    let found = received.all
    run.capture(Self.value(of: found))
    let rate = Double(found.count) / max(duration.seconds, .ulpOfOne)
    for expectation in run.step.expectations {
      try expectation.check(count: found.count, rate: rate)
    }
  }
}

extension Scanning: CustomStringConvertible {
  /// In the one-line form: `for 5s name "Thermo*" rssi -70`.
  public var description: String { words(Self.keys).joined(separator: " ") }
}

extension Scanning {
  /// The values of a filter, for error messages.
  static let nameShape = "a name, in which * and ? are wildcards"
  static let serviceShape = "a service such as battery, or a UUID"
  static let rssiRange = -127...20

  /// The captured value: the devices that were found.
  static func value(of found: [Advertisement]) -> DecodedValue {
    .fields([
      .init("count", .integer(Int128(found.count))),
      .init("devices", .list(found.map { .text($0.name ?? "\($0.address)") })),
    ])
  }
}

extension Shape where Value == BluetoothAddress {
  static var address: Self {
    Shape(BluetoothAddress.expected, schema: .reference("address"), words: { ["\($0)"] }) {
      node,
      _ in
      node.text.flatMap { BluetoothAddress($0) }
    }
  }
}

extension Shape where Value == [ServiceSelector] {
  /// One service or several; a device must advertise all of them.
  fileprivate static var services: Self {
    let name = JSONValue.reference("name")
    return Shape(
      Scanning.serviceShape, schema: .anyOf([name, .list(of: name)]),
      words: { $0.map(\.description) }
    ) { node, reader in
      reader.several(node, .service)
    }
  }
}

extension Shape where Value == Int {
  fileprivate static var rssi: Self {
    .integer("the minimum RSSI in dBm", "dBm") { _ in Scanning.rssiRange }
  }
}

extension Shape where Value == ManufacturerPattern {
  fileprivate static var manufacturer: Self {
    let expected = "a company identifier such as 0x004c, with data as in 0x004c:0215"
    return Shape(expected, schema: .type("string", "integer"), words: { ["\($0)"] }) { node, _ in
      node.text.flatMap { ManufacturerPattern($0) }
    }
  }
}

extension Shape where Value == ServiceDataPattern {
  fileprivate static var serviceData: Self {
    let expected = "a service such as feaa, with data as in feaa:00"
    return Shape(expected, schema: .type("string", "integer"), words: { ["\($0)"] }) {
      node,
      reader in
      node.text.flatMap { ServiceDataPattern($0, names: reader.surroundings.names) }
    }
  }
}

extension Step {
  /// Scans for nearby devices.
  ///
  /// Needs no connection. Finding nothing is not a failure, unless the step expects a `count`.
  ///
  /// ```swift
  /// try Step.scan(for: .seconds(10), ScanFilter(name: "Soil-*")).expect("count", .atLeast(3))
  /// ```
  public static func scan(for duration: Duration, _ filter: ScanFilter = ScanFilter()) -> Step {
    Step(.scan(Scanning(for: duration, filter: filter)))
  }
}

extension Scanning {
  /// Scans, and keeps the last advertisement of each device, in the order of the first ones.
  ///
  /// Its time begins when the scan is active, and ends it; a scan that finds no device succeeds.
  func listen(with service: any Device, into received: inout ReceivedDevices) async throws {
    let loop = service.scheduler.loop
    let duration = duration
    let over = Signal<Void> { _ in try await loop.sleep(for: duration) }
    try await service.startScan(filter).flattenMap { $0.takeUntil(over) }.run { received.take($0) }
  }
}

/// The devices of a scan, in the order in which they were first received.
struct ReceivedDevices: Sendable {
  private struct Entry {
    /// As received last.
    var seen: Advertisement
    /// The ordinals of the first and the last advertisement among all of the scan.
    let first: Int
    var last: Int
  }

  private var entries: [Entry] = []
  private var indices: [BluetoothAddress: Int] = [:]
  private var count = 0

  /// The last advertisement from each address.
  var all: [Advertisement] { entries.map(\.seen) }

  /// The devices: of one that changed its address during the scan, its newest.
  ///
  /// An address is an old one where, after its last advertisement, another private address began to advertise
  /// the same name. Two devices with one name are received by turns. An address that was received once may be
  /// that of a second device: bluetoothd reports changes alone.
  var devices: [Advertisement] {
    var newest: [String: Int] = [:]
    for entry in entries where entry.seen.changesAddress {
      if let name = entry.seen.name { newest[name] = max(entry.first, newest[name] ?? 0) }
    }
    return entries.filter { entry in
      guard entry.seen.changesAddress, let name = entry.seen.name, let first = newest[name] else {
        return true
      }
      return first <= entry.last || entry.first == entry.last
    }.map(\.seen)
  }

  mutating func take(_ seen: Advertisement) {
    count += 1
    if let index = indices[seen.address] {
      entries[index].seen = seen
      entries[index].last = count
    } else {
      indices[seen.address] = entries.count
      entries.append(Entry(seen: seen, first: count, last: count))
    }
  }
}

// `scan`: scans for nearby devices, and keeps the last advertisement of each address.
//
// It does not connect, and it is not the scan that finds the chain's own device.

public import Bluetooth
import Documents
import Signals

/// The duration and filter of a `scan` step.
public struct ScanStep: Hashable, Sendable {
  /// The duration. A scan that finds no device succeeds.
  public var duration: Duration
  /// The filter for the devices that are reported.
  public var filter: ScanFilter

  /// Creates a scan.
  ///
  /// ```swift
  /// let scan = ScanStep(for: .seconds(5), filter: ScanFilter(name: "Soil-*", rssi: -80))
  /// let step = Step(.scan(scan))
  /// ```
  public init(for duration: Duration, filter: ScanFilter = ScanFilter()) {
    self.duration = duration
    self.filter = filter
  }
}

extension ScanStep: StepKind {
  init() { self.init(for: .zero) }

  static let verb = "scan"
  static let synonyms = ["find", "discover"]
  static let documentation = "scans for nearby devices; needs no connection"
  static let common: [Key<Step>] = [.as, .expect]
  static let titleKeys = keys.count
  static let needsLink = false
  static let precedesLink = true
  static let keys: [Key<ScanStep>] = [
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
  var capturedFields: [String]? { ["count", "devices"] }
  var participle: String { "scanning" }

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

extension ScanStep: CustomStringConvertible {
  /// The one-line form: `for 5s name "Thermo*" rssi -70`.
  public var description: String { words(Self.keys).joined(separator: " ") }
}

extension ScanStep {
  /// Descriptions of valid filter values, for error messages.
  static let nameShape = "a name, in which * and ? are wildcards"
  static let serviceShape = "a service such as battery, or a UUID"
  static let rssiRange = -127...20

  /// The captured value: the number of devices, and their names.
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
  /// One service or a list; a device must advertise all of them.
  fileprivate static var services: Self {
    let name = JSONValue.reference("name")
    return Shape(
      ScanStep.serviceShape, schema: .anyOf([name, .list(of: name)]),
      words: { $0.map(\.description) }
    ) { node, reader in
      reader.several(node, .service)
    }
  }
}

extension Shape where Value == Int {
  fileprivate static var rssi: Self {
    .integer("the minimum RSSI in dBm", "dBm") { _ in ScanStep.rssiRange }
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
      node.text.flatMap { ServiceDataPattern($0, names: reader.includeContext.names) }
    }
  }
}

extension Step {
  /// Scans for nearby devices; needs no connection.
  ///
  /// A scan that finds no device succeeds, unless the step expects a `count`.
  ///
  /// ```swift
  /// try Step.scan(for: .seconds(10), ScanFilter(name: "Soil-*")).expect("count", .atLeast(3))
  /// ```
  public static func scan(for duration: Duration, _ filter: ScanFilter = ScanFilter()) -> Step {
    Step(.scan(ScanStep(for: duration, filter: filter)))
  }
}

extension ScanStep {
  /// Scans, and keeps the last advertisement of each address in the order of first reception.
  ///
  /// The duration counts from the moment the scan is active.
  func listen(with service: any Device, into received: inout ReceivedDevices) async throws {
    let loop = service.scheduler.loop
    let duration = duration
    let over = Signal<Void> { _ in try await loop.sleep(for: duration) }
    try await service.startScan(filter).flattenMap { $0.takeUntil(over) }.run { received.add($0) }
  }
}

/// The devices that a scan received, in the order of first reception.
struct ReceivedDevices: Sendable {
  private struct Entry {
    /// The last advertisement.
    var seen: Advertisement
    /// The positions of the first and last advertisement among all advertisements of the scan.
    let first: Int
    var last: Int
  }

  private var entries: [Entry] = []
  private var indices: [BluetoothAddress: Int] = [:]
  private var count = 0

  /// The last advertisement of each address.
  var all: [Advertisement] { entries.map(\.seen) }

  /// The devices, without the old addresses of a device that changed its private address during the
  /// scan.
  ///
  /// An address counts as old when another private address with the same name first appears after
  /// its last advertisement. Two devices with one name alternate, so neither counts as old. An
  /// address that was received only once is kept: it may belong to a second device, because
  /// bluetoothd reports only changes.
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

  mutating func add(_ seen: Advertisement) {
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

// A scan that finds the devices of a batch when a round begins.

public import Bluetooth
public import Documents
import RunEvents

/// The scan that finds the devices of a batch, and the chain for each device.
public struct BatchScan: Sendable, CustomStringConvertible {
  /// The duration and the filter.
  public let scanning: ScanStep
  /// The minimum number of devices. With fewer, the round fails before the first chain begins.
  public let least: Int
  /// The maximum number of devices; those found first are used.
  public let most: Int
  private let template: BatchTemplate
  /// A made-up device with its plan, which checks the chain before the scan.
  public let example: BatchDevice
  /// The chain for output, with placeholders for the address and the name.
  let shown: Plan

  init(
    _ scanning: ScanStep, least: Int, most: Int, _ template: BatchTemplate
  ) throws(DocumentErrors) {
    self.scanning = scanning
    self.least = least
    self.most = most
    self.template = template
    let none = BluetoothAddress(number: 0)
    example = try Self.device(none, .address(none), name: nil, template)
    let placeholders = Self.bindings(address: "(address)", name: "(name)")
    // Falls back to the example: a placeholder may be too long, or not be the number that a step
    // needs.
    var shown = (try? template.device(.any, placeholders))?.plan ?? example.plan
    shown.device = nil
    self.shown = shown
  }

  /// Creates the plans of the devices that were found, in the order of first reception.
  ///
  /// The variables `address` and `name` are those of the device; a device that advertises no name
  /// has its address as its name. A device whose address may change is later found by its name,
  /// unless another device has the same name.
  ///
  /// ```swift
  /// let found = try await device.scan(ScanFilter(name: "Soil-*")).take(3).collect()
  ///   .first(within: .seconds(20))
  /// guard case .scanned(let scan) = try Batch.load(path: "fleet.yaml").devices else { return }
  /// for one in try scan.devices(found) { print(one.label, one.plan.steps.count) }
  /// ```
  ///
  /// - Throws: `DocumentErrors` if the chain is invalid for one of the devices, for example because
  ///   its name is not valid for the variable that uses it.
  public func devices(_ found: [Advertisement]) throws(DocumentErrors) -> [BatchDevice] {
    let targets = Self.targets(found.map(\.name))
    var devices: [BatchDevice] = []
    for seen in found.prefix(most) {
      let target = targets(seen.address, seen.changesAddress ? seen.name : nil)
      devices.append(try Self.device(seen.address, target, name: seen.name, template))
    }
    return devices
  }

  /// Creates the plans of the devices that the scan of an interrupted run found.
  ///
  /// - Throws: `DocumentErrors` like ``devices(_:)``.
  func devices(_ past: PreviousRound) throws(DocumentErrors) -> [BatchDevice] {
    let targets = Self.targets(past.devices.map(\.name))
    var devices: [BatchDevice] = []
    for device in past.devices {
      guard let address = BluetoothAddress(device.label) else { continue }
      // The journal does not record the address type; the top bits 01 mark a resolvable private
      // address, which changes.
      let name = address.number >> 46 == 0b01 ? device.name : nil
      let target = targets(address, name)
      devices.append(try Self.device(address, target, name: device.name, template))
    }
    return devices
  }

  /// Chooses how each device is found again: by its address, or, for an address that may change, by
  /// a name that no other device has. The caller passes a name only for an address that may change.
  private static func targets(
    _ names: [String?]
  ) -> (_ address: BluetoothAddress, _ name: String?) -> DeviceTarget {
    let counts = Dictionary(names.compactMap { $0 }.map { ($0, 1) }, uniquingKeysWith: +)
    return { address, name in
      guard let name, counts[name] == 1 else { return .address(address) }
      return .seen(address, name: name)
    }
  }

  private static func device(
    _ address: BluetoothAddress, _ target: DeviceTarget, name: String?, _ template: BatchTemplate
  ) throws(DocumentErrors) -> BatchDevice {
    let bindings = bindings(address: "\(address)", name: name ?? "\(address)")
    return try template.device(target, name: name, bindings)
  }

  private static func bindings(address: String, name: String) -> Bindings {
    var bindings = Bindings()
    bindings.bind("address", to: address, from: "the scan")
    bindings.bind("name", to: name, from: "the scan")
    return bindings
  }

  public var description: String {
    scanning.description + (least > 1 ? ", at least \(least)" : "")
  }
}

extension BatchScan {
  /// The maximum duration of the second scan, which lists other devices in range.
  private static let otherScanLimit = Duration.seconds(5)

  /// Scans, and creates the plans of the devices that were found.
  ///
  /// - Throws: ``RunFailure`` with the code `not-found` for too few devices; the failure of the
  ///   scan; `DocumentErrors` like ``devices(_:)``.
  func find(with service: any Device) async throws -> [BatchDevice] {
    var received = ReceivedDevices()
    try await scanning.listen(with: service, into: &received)
    let found = received.devices
    guard found.count >= least else {
      let count = "\(found.count) \(found.count == 1 ? "device was" : "devices were") found"
      let wanted = "\(least) \(least == 1 ? "is" : "are")"
      throw RunFailure(
        code: .notFound, class: .passing, what: "scanning for the devices of the batch",
        why: "\(count) in \(scanning.duration.written), and at least \(wanted) asked for"
          + (await others(with: service)),
        hint: "check that they advertise: blerun scan"
      )
    }
    return try devices(found)
  }

  /// Describes other devices in range, which a second, shorter scan finds: bluetoothd does not
  /// report devices that the filter of the first scan excludes. Empty if there are none.
  private func others(with service: any Device) async -> String {
    let (filter, all) = (scanning.filter, ScanFilter(isPassive: scanning.filter.isPassive))
    guard filter != all else { return "" }
    var received = ReceivedDevices()
    let scan = ScanStep(for: min(scanning.duration, Self.otherScanLimit), filter: all)
    do {
      try await scan.listen(with: service, into: &received)
    } catch {
      // Ignored: the batch has already failed for a more important reason.
      guard !received.all.isEmpty else { return "" }
    }
    return filter.others(among: received.all)
  }
}

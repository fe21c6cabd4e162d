// Devices that a scan finds when the batch begins.

public import Bluetooth
public import Documents

/// The scan that finds the devices of a batch, and the chain for each.
public struct BatchScan: Sendable, CustomStringConvertible {
  /// The duration and the filter of the scan.
  public let scanning: Scanning
  /// The minimum number of devices. With fewer the batch fails, and no chain begins.
  public let least: Int
  /// The maximum number of devices; those found first are used.
  public let most: Int
  private let template: BatchTemplate
  /// An example device with its plan, so that the chain is checked before the scan.
  public let example: BatchDevice
  /// The chain for people, without the values of a certain device.
  let shown: Plan

  init(
    _ scanning: Scanning, least: Int, most: Int, _ template: BatchTemplate
  ) throws(DocumentErrors) {
    self.scanning = scanning
    self.least = least
    self.most = most
    self.template = template
    let none = BluetoothAddress(number: 0)
    example = try Self.device(none, .address(none), name: nil, template)
    let placeholders = Self.bindings(address: "(address)", name: "(name)")
    // A value may have to be a number, or may be too long for what it is part of.
    var shown = (try? template.device(.any, placeholders))?.plan ?? example.plan
    shown.device = nil
    self.shown = shown
  }

  /// The plans of the devices that were found, in the order in which they were first found.
  ///
  /// The variables `address` and `name` are those of the device; a device that does not advertise a
  /// name has its address as its name. A device whose address may change is found again by its name,
  /// unless another one has it, too.
  ///
  /// ```swift
  /// let found = try await device.scan(ScanFilter(name: "Soil-*")).take(3).collect()
  ///   .first(within: .seconds(20))
  /// guard case .scanned(let scan) = try Batch.load(path: "fleet.yaml").devices else { return }
  /// for one in try scan.devices(found) { print(one.label, one.plan.steps.count) }
  /// ```
  ///
  /// - Throws: `DocumentErrors` when the chain is invalid for one of them: its name is not valid
  ///   for the variable that uses it.
  public func devices(_ found: [Advertisement]) throws(DocumentErrors) -> [BatchDevice] {
    let targets = Self.targets(found.map(\.name))
    var devices: [BatchDevice] = []
    for seen in found.prefix(most) {
      let target = targets(seen.address, seen.changesAddress ? seen.name : nil)
      devices.append(try Self.device(seen.address, target, name: seen.name, template))
    }
    return devices
  }

  /// The plans of the devices that the scan of an earlier run found.
  ///
  /// - Throws: `DocumentErrors` like ``devices(_:)``.
  func devices(_ past: BatchPast) throws(DocumentErrors) -> [BatchDevice] {
    let targets = Self.targets(past.devices.map(\.name))
    var devices: [BatchDevice] = []
    for device in past.devices {
      guard let address = BluetoothAddress(device.label) else { continue }
      // The type of the address is not recorded: this is the form of those that change.
      let name = address.number >> 46 == 0b01 ? device.name : nil
      let target = targets(address, name)
      devices.append(try Self.device(address, target, name: device.name, template))
    }
    return devices
  }

  /// How each of the devices of a scan is found again: by its address, and one whose address may change
  /// by its name, which is given then, if no other has it.
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
  /// How long the scan for other devices takes, at most.
  private static let otherScanLimit = Duration.seconds(5)

  /// Scans, and makes the plans of the devices that were found.
  ///
  /// - Throws: ``RunFailure`` with the code `not-found` for too few devices; the failure of the
  ///   scan; `DocumentErrors` like ``devices(_:)``.
  func find(with service: any Device) async throws -> [BatchDevice] {
    var received = ReceivedDevices()
    try await scanning.listen(with: service, into: &received)
    let found = received.devices
    guard found.count >= least else {
      let count = "\(found.count) \(found.count == 1 ? "device was" : "devices were") found"
      throw RunFailure(
        code: .notFound, class: .passing, what: "scanning for the devices of the batch",
        why: "\(count) in \(scanning.duration.written), and at least \(least) are asked for"
          + (await others(with: service)),
        hint: "check that they advertise: blerun scan"
      )
    }
    return try devices(found)
  }

  /// What is in range beside the devices that were found, from a second, shorter scan: bluetoothd
  /// reports no device to the first one that its filter excludes. Empty where nothing is known.
  private func others(with service: any Device) async -> String {
    let (filter, all) = (scanning.filter, ScanFilter(isPassive: scanning.filter.isPassive))
    guard filter != all else { return "" }
    var received = ReceivedDevices()
    let scan = Scanning(for: min(scanning.duration, Self.otherScanLimit), filter: all)
    do {
      try await scan.listen(with: service, into: &received)
    } catch {
      // The batch has failed already, for a reason that matters more.
      guard !received.all.isEmpty else { return "" }
    }
    return filter.others(among: received.all)
  }
}

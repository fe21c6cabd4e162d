// Devices that a scan finds when the batch begins.

public import Bluetooth
public import Documents

/// How the devices of a batch are found, and what is run on each.
public struct BatchScan: Sendable, CustomStringConvertible {
  /// How long to listen, and for which devices.
  public let scanning: Scanning
  /// With fewer the batch fails, and no chain begins.
  public let least: Int
  /// How many are taken at most, those first heard.
  public let most: Int
  /// Makes the plan for a device.
  private let template: BatchTemplate
  /// A device that might be found, with its plan: that the chain is right is known beforehand.
  public let example: BatchDevice

  init(
    _ scanning: Scanning,
    least: Int,
    most: Int,
    _ template: BatchTemplate
  ) throws(DocumentErrors) {
    self.scanning = scanning
    self.least = least
    self.most = most
    self.template = template
    example = try Self.device(BluetoothAddress(number: 0), name: nil, template)
  }

  /// The plans for the devices that were found, in the order in which they were first heard.
  ///
  /// The variables `address` and `name` are those of the device; a device that tells no name is
  /// called by its address.
  ///
  /// - Throws: `DocumentErrors` when the chain cannot be made for one of them: its name is no value
  ///   for the variable that takes it.
  public func devices(_ found: [Advertisement]) throws(DocumentErrors) -> [BatchDevice] {
    var devices: [BatchDevice] = []
    for seen in found.prefix(most) {
      devices.append(try Self.device(seen.address, name: seen.name, template))
    }
    return devices
  }

  /// The plans for the devices that the scan of an earlier run found.
  ///
  /// - Throws: `DocumentErrors` as ``devices(_:)`` does.
  func devices(_ past: BatchPast) throws(DocumentErrors) -> [BatchDevice] {
    var devices: [BatchDevice] = []
    for device in past.devices {
      guard let address = BluetoothAddress(device.label) else { continue }
      devices.append(try Self.device(address, name: device.name, template))
    }
    return devices
  }

  private static func device(
    _ address: BluetoothAddress,
    name: String?,
    _ template: BatchTemplate
  ) throws(DocumentErrors) -> BatchDevice {
    var bindings = Bindings()
    bindings.bind("address", to: "\(address)", from: "the scan")
    bindings.bind("name", to: name ?? "\(address)", from: "the scan")
    return try template.device(.address(address), name: name, bindings)
  }

  public var description: String {
    scanning.description + (least > 1 ? ", at least \(least)" : "")
  }
}

extension BatchScan {
  /// Listens, and makes the plans for what was found.
  ///
  /// - Throws: ``RunFailure`` of the code `not-found` when there are too few; what a scan fails with;
  ///   `DocumentErrors` as ``devices(_:)`` does.
  func find(with service: any DeviceService) async throws -> [BatchDevice] {
    var found: [Advertisement] = []
    try await scanning.listen(with: service, into: &found)
    guard found.count >= least else {
      let count = "\(found.count) \(found.count == 1 ? "device was" : "devices were") found"
      throw RunFailure(
        code: .notFound,
        class: .passing,
        what: "scanning for the devices of the batch",
        why: "\(count) in \(scanning.duration.written), and at least \(least) are asked for",
        hint: "check that they advertise: blerun scan"
      )
    }
    return try devices(found)
  }
}

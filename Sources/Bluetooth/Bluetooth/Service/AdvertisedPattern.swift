// Patterns for the data in an advertisement.

/// Manufacturer specific data: the company, and how the data begins.
///
/// - Source: Bluetooth Core Specification Supplement 11, Part A §1.4; company numbers: Assigned
///   Numbers §7.
public struct ManufacturerPattern: Hashable, Sendable, CustomStringConvertible {
  /// The company identifier: 0x004c.
  public let company: UInt16
  /// The prefix of the data; empty for any data.
  public let prefix: [UInt8]

  /// Manufacturer data of a company that begins with these bytes.
  ///
  /// ```swift
  /// let iBeacon = ManufacturerPattern(company: 0x004c, prefix: [0x02, 0x15])
  /// let nearby = thermometer.scan(ScanFilter(manufacturer: iBeacon))
  /// ```
  public init(company: UInt16, prefix: [UInt8] = []) {
    self.company = company
    self.prefix = prefix
  }

  /// Parses `0x004c`, `76` or, with a prefix, `0x004c:0215`.
  ///
  /// ```swift
  /// let beacons = ScanFilter(manufacturer: ManufacturerPattern("0x004c:0215"))
  /// ```
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let number = parts[0]
    let company =
      number.hasPrefix("0x") || number.hasPrefix("0X")
      ? UInt16(number.dropFirst(2), radix: 16) : UInt16(number)
    guard let company, let prefix = [UInt8](hexadecimal: parts.dropFirst().first ?? "")
    else { return nil }
    self.init(company: company, prefix: prefix)
  }

  /// Whether a device advertises such data.
  public func matches(_ device: Advertisement) -> Bool {
    device.manufacturerData.contains { $0.company == company && $0.data.starts(with: prefix) }
  }

  public var description: String {
    let number = hexadecimal(UInt8(company >> 8)) + hexadecimal(UInt8(company & 0xff))
    return "0x\(number)" + suffix(prefix)
  }
}

/// Service data: the service, and how the data begins.
///
/// - Source: Bluetooth Core Specification Supplement 11, Part A §1.11.
public struct ServiceDataPattern: Hashable, Sendable, CustomStringConvertible {
  /// The service that the data belongs to.
  public let service: ServiceSelector
  /// The prefix of the data; empty for any data.
  public let prefix: [UInt8]

  /// Data of a service that begins with these bytes.
  ///
  /// ```swift
  /// let eddystone = ServiceDataPattern(service: "feaa", prefix: [0x00])
  /// let nearby = thermometer.scan(ScanFilter(serviceData: eddystone))
  /// ```
  public init(service: ServiceSelector, prefix: [UInt8] = []) {
    self.service = service
    self.prefix = prefix
  }

  /// Parses a service's name or UUID, optionally with a prefix after a colon: `feaa:00`.
  ///
  /// ```swift
  /// let eddystone = ServiceDataPattern("feaa:00")
  /// ```
  ///
  /// - Parameters:
  ///   - text: The pattern.
  ///   - names: The names that it may use.
  public init?(_ text: String, names: AttributeNames = .assigned) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let service = try? ServiceSelector(parsing: String(parts[0]), names: names),
      let prefix = [UInt8](hexadecimal: parts.dropFirst().first ?? "")
    else { return nil }
    self.init(service: service, prefix: prefix)
  }

  /// Whether a device advertises such data.
  public func matches(_ device: Advertisement) -> Bool {
    device.serviceData.contains { $0.service == service.uuid && $0.data.starts(with: prefix) }
  }

  public var description: String {
    "\(service)" + suffix(prefix)
  }
}

/// Octets after a colon, as pairs of hexadecimal digits; empty for none.
private func suffix(_ octets: [UInt8]) -> String {
  octets.isEmpty ? "" : ":" + octets.map { hexadecimal($0) }.joined()
}

// The selection of a device.

import Spelling

/// A device as a user names it.
///
/// Names match without regard to case; `exact: true` asks for the case as written.
public enum DeviceTarget: Hashable, Sendable, CustomStringConvertible {
  /// The device with this address.
  case address(BluetoothAddress)
  /// The device with this name, which it gives itself; `*` and `?` are wildcards.
  case name(String, exact: Bool = false)
  /// The device that advertises this service.
  case service(ServiceSelector)
  /// The device with this name on this host; `*` and `?` are wildcards.
  case alias(String, exact: Bool = false)
  /// A device that was seen at this address, which it may change: the device with the address, or
  /// the device with exactly this name at another private address.
  case seen(BluetoothAddress, name: String)
  /// The first device that is found.
  case any

  /// An address if `text` is one, otherwise a name.
  ///
  /// For what a user types: `Thermo*` is a name with wildcards, `*` is any device.
  ///
  /// ```swift
  /// let target = try DeviceTarget(parsing: "C0:FF:EE:00:00:01")
  /// ```
  ///
  /// - Throws: ``InvalidDeviceTarget`` for an empty text, and for a part of an address.
  public init(parsing text: String) throws(InvalidDeviceTarget) {
    if text.isEmpty { throw .emptyName }
    if let address = BluetoothAddress(text) {
      self = .address(address)
    } else if BluetoothAddress.resembles(text) {
      throw .incompleteAddress(text)
    } else {
      self = text == "*" ? .any : .name(text)
    }
  }

  /// Whether a device is selected.
  ///
  /// ```swift
  /// let isWanted = DeviceTarget.name("Soil-*").matches(advertisement)
  /// ```
  public func matches(_ device: Advertisement) -> Bool {
    switch self {
    case .address(let address): device.address == address
    case .name(let pattern, let exact):
      device.name.map { Glob(pattern, ignoringCase: !exact).matches($0) } ?? false
    case .service(let service): device.services.contains(service.uuid)
    case .alias(let pattern, let exact):
      Glob(pattern, ignoringCase: !exact).matches(device.alias)
    case .seen(let address, let name):
      device.address == address || (device.name == name && device.changesAddress)
    case .any: true
    }
  }

  /// The target with the case of a name as written.
  ///
  /// ```swift
  /// let target = DeviceTarget.name("Lamp").exact  // not a device that is called LAMP
  /// ```
  public var exact: DeviceTarget {
    switch self {
    case .name(let pattern, _): .name(pattern, exact: true)
    case .alias(let pattern, _): .alias(pattern, exact: true)
    case .address, .service, .seen, .any: self
    }
  }

  /// Whether it does not name a device, but what a device has: a name with wildcards, or a service.
  package var isPattern: Bool {
    switch self {
    case .name(let text, _), .alias(let text, _): text.contains { $0 == "*" || $0 == "?" }
    case .service, .any: true
    case .address, .seen: false
    }
  }

  /// The target as a user writes it: an address, a name, a service.
  public var text: String {
    switch self {
    case .address(let address), .seen(let address, _): "\(address)"
    case .name(let text, _), .alias(let text, _): text
    case .service(let service): "\(service)"
    case .any: "*"
    }
  }

  /// For use in a sentence.
  public var description: String {
    switch self {
    case .address(let address): "\(address)"
    case .name(let name, let exact), .alias(let name, let exact):
      "'\(name)'" + (exact ? " (case-sensitive)" : "")
    case .service(let service): "a device with \(service)"
    case .seen(let address, let name): "'\(name)' (\(address) in the scan)"
    case .any: "any device"
    }
  }
}

/// The reason why a text names no device.
public enum InvalidDeviceTarget: Error, Hashable, Sendable, CustomStringConvertible {
  /// No device has an empty name.
  case emptyName
  /// A part of an address, or one with wrong digits.
  case incompleteAddress(String)

  public var description: String {
    switch self {
    case .emptyName: "the name of a device is empty"
    case .incompleteAddress(let text):
      "'\(text)' is not a complete address (expected six pairs of hexadecimal digits, such as "
        + "C0:FF:EE:00:00:01)"
    }
  }
}

extension BluetoothAddress {
  /// Whether an invalid text is probably an address with a mistake: a part of an address, or six pairs with
  /// wrong digits.
  static func resembles(_ text: String) -> Bool {
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    guard groups.count > 1 else { return false }
    let isOfDigits = groups.allSatisfy { $0.utf8.count <= 2 && $0.allSatisfy(\.isHexDigit) }
    let isOfPairs = groups.allSatisfy { group in
      group.utf8.count == 2 && group.allSatisfy { $0.isLetter || $0.isNumber }
    }
    return isOfDigits || (groups.count == 6 && isOfPairs)
  }
}

// MARK: Devices in range instead of one that is not found

extension Advertisement {
  /// The number of devices that are listed.
  private static let listed = 6

  /// The nearest devices by RSSI, as a clause: `; in range: 'Twin-1' …`.
  ///
  /// - Parameters:
  ///   - first: The device that is listed first, whatever its RSSI.
  ///   - reason: Why a device is not the one.
  static func listing(
    _ devices: [Advertisement], first: Advertisement? = nil, _ reason: (Advertisement) -> String?
  ) -> String {
    let ranked = devices.sorted { a, b in
      (a.address == first?.address ? 1 : 0, a.rssi ?? .min, b.address)
        > (b.address == first?.address ? 1 : 0, b.rssi ?? .min, a.address)
    }
    var lines = ranked.prefix(listed).map { $0.line(reason($0)) }
    if ranked.count > listed { lines.append("and \(ranked.count - listed) more") }
    return "; in range: \(lines.joined(separator: ", "))"
  }

  /// `'Twin-1' (C0:FF:EE:00:00:05, -60 dBm: another name)`.
  private func line(_ reason: String?) -> String {
    let name = name.map { "'\($0)'" } ?? "a device without a name"
    let rssi = rssi.map { ", \($0) dBm" } ?? ""
    return "\(name) (\(address)\(rssi)\(reason.map { ": \($0)" } ?? ""))"
  }
}

extension DeviceTarget {
  /// Describes the devices in range, as clauses after "no matching device was found".
  ///
  /// Names the device that was probably meant, then the nearest devices by RSSI, each with the
  /// reason why it is not the one.
  ///
  /// - Parameter devices: The devices that were received during the search.
  /// - Returns: ` (did you mean 'Twin-1'?); in range: 'Twin-1' …`.
  public func others(among devices: [Advertisement]) -> String {
    guard !devices.isEmpty else { return "; no other device is in range" }
    let meant = meant(among: devices)
    let guess = meant.map { " (did you mean \(title(of: $0))?)" } ?? ""
    return guess + Advertisement.listing(devices, first: meant) { difference(from: $0) }
  }

  /// The reason why a device does not match; nil if it does.
  ///
  /// ```swift
  /// print(DeviceTarget.name("Soil-1").difference(from: advertisement) ?? "this is the one")
  /// ```
  public func difference(from device: Advertisement) -> String? {
    if matches(device) { return nil }
    switch self {
    case .address(let address):
      let digits = "\(address)".filter { $0 != ":" }
      guard let name = device.name, name.uppercased() == digits else { return "another address" }
      return "another address; to find it by its name: '\(name.dropLast())?'"
    case .name(let pattern, _):
      guard let name = device.name else { return "advertises no name" }
      return Self.difference(of: name, from: pattern, "name")
    case .alias(let pattern, _):
      return Self.difference(of: device.alias, from: pattern, "alias") + " '\(device.alias)'"
    case .service(let service): return "does not advertise \(service)"
    case .seen(_, let name):
      return device.name == name ? "an address that does not change" : "another name"
    case .any: return nil
    }
  }

  private static func difference(of name: String, from pattern: String, _ what: String) -> String {
    Glob(pattern, ignoringCase: true).matches(name)
      ? "\(what) differs in case" : "another \(what)"
  }

  // MARK: The device that was probably meant

  /// The device whose name or address is nearest to the wanted one, if any is near.
  private func meant(among devices: [Advertisement]) -> Advertisement? {
    switch self {
    case .name(let pattern, _): Self.nearest(to: pattern, among: devices, \.name)
    case .alias(let pattern, _): Self.nearest(to: pattern, among: devices, \.alias)
    case .address(let address):
      devices.filter { Self.differingDigits(address, $0.address) <= 2 }
        .min {
          (Self.differingDigits(address, $0.address), $0.address)
            < (Self.differingDigits(address, $1.address), $1.address)
        }
    case .service, .seen, .any: nil
    }
  }

  /// The device with the nearest name. Where the pattern ends in `*`, the beginning of a name is
  /// compared, too.
  private static func nearest(
    to pattern: String, among devices: [Advertisement], _ name: (Advertisement) -> String?
  ) -> Advertisement? {
    let wanted = pattern.filter { $0 != "*" && $0 != "?" }
    var spellings: [(spelling: String, device: Advertisement)] = []
    for device in devices {
      // Devices pad their names, and people do not.
      guard let words = name(device)?.split(whereSeparator: \.isWhitespace) else { continue }
      let name = words.joined(separator: " ")
      spellings.append((name, device))
      if pattern.hasSuffix("*") { spellings.append((String(name.prefix(wanted.count)), device)) }
    }
    let best = Spelling.nearest(to: wanted, among: spellings.map(\.spelling))
    return spellings.first { $0.spelling == best }?.device
  }

  private static func differingDigits(_ a: BluetoothAddress, _ b: BluetoothAddress) -> Int {
    (0..<12).count { digit in (a.number ^ b.number) >> (4 * UInt64(digit)) & 0xf != 0 }
  }

  private func title(of device: Advertisement) -> String {
    switch self {
    case .address: "\(device.address)"
    case .name, .service, .seen, .any: "'\(device.name ?? "\(device.address)")'"
    case .alias: "'\(device.alias)'"
    }
  }
}

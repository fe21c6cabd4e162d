// What is in range instead of a device that is not found.
//
// Pure: it is given the devices, and neither scans nor waits.

import Spelling

extension Advertisement {
  /// How many devices are listed.
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
  /// What is in range instead, as clauses after "no matching device was found".
  ///
  /// Names the device that was probably meant, then the nearest devices by RSSI, each with the
  /// reason why it is not the one.
  ///
  /// - Parameter devices: Those that were received while the device was looked for.
  /// - Returns: ` (did you mean 'Twin-1'?); in range: 'Twin-1' …`.
  public func others(among devices: [Advertisement]) -> String {
    guard !devices.isEmpty else { return "; no other device is in range" }
    let meant = meant(among: devices)
    let guess = meant.map { " (did you mean \(title(of: $0))?)" } ?? ""
    return guess + Advertisement.listing(devices, first: meant) { difference(from: $0) }
  }

  /// Why a device is not the one; nil if it is.
  ///
  /// ```swift
  /// print(DeviceTarget.name("Soil-1").difference(from: advertisement) ?? "this is the one")
  /// ```
  public func difference(from device: Advertisement) -> String? {
    if matches(device) { return nil }
    switch self {
    case .address: return "another address"
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

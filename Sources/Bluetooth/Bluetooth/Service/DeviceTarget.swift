// How a device is selected.

/// How a user names a device.
///
/// Names match without regard to case; `exact: true` asks for the case as written.
public enum DeviceTarget: Hashable, Sendable, CustomStringConvertible {
  /// The device with this address.
  case address(BluetoothAddress)
  /// By the name it gives itself; `*` and `?` are wildcards.
  case name(String, exact: Bool = false)
  /// By a service that it advertises.
  case service(ServiceSelector)
  /// By its name on this host; `*` and `?` are wildcards.
  case alias(String, exact: Bool = false)
  /// A device that was seen at this address, which it may change: the device that is at it, or that has
  /// this name, exactly as written, at another private address.
  case seen(BluetoothAddress, name: String)
  /// The first device that is found.
  case any

  /// An address if `text` is one, else a name.
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
    } else if BluetoothAddress.isMeant(by: text) {
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

  /// The same target, with the case of a name as written.
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

  /// As a user writes it: an address, a name, a service.
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

/// Why a text names no device.
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
  /// Whether an invalid text is meant to be an address: a part of an address, or six pairs with
  /// wrong digits.
  static func isMeant(by text: String) -> Bool {
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    guard groups.count > 1 else { return false }
    let isOfDigits = groups.allSatisfy { $0.utf8.count <= 2 && $0.allSatisfy(\.isHexDigit) }
    let isOfPairs = groups.allSatisfy { group in
      group.utf8.count == 2 && group.allSatisfy { $0.isLetter || $0.isNumber }
    }
    return isOfDigits || (groups.count == 6 && isOfPairs)
  }
}

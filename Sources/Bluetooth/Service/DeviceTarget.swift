// How a device is selected.

/// How a user names a device.
public enum DeviceTarget: Hashable, Sendable, CustomStringConvertible {
  /// The device with this address.
  case address(BluetoothAddress)
  /// By the name it gives itself; `*` and `?` are wildcards.
  case name(String)
  /// By a service that it advertises.
  case service(BluetoothUUID)
  /// By its name on this host; `*` and `?` are wildcards.
  case alias(String)
  /// The first device that is found.
  case any

  /// An address if `text` is one, else a name.
  public init(parsing text: String) {
    if let address = BluetoothAddress(text) {
      self = .address(address)
    } else {
      self = text == "*" ? .any : .name(text)
    }
  }

  /// Whether a device is selected.
  public func matches(_ device: Advertisement) -> Bool {
    switch self {
    case .address(let address): device.address == address
    case .name(let pattern): device.name.map { Glob(pattern).matches($0) } ?? false
    case .service(let service): device.services.contains(service)
    case .alias(let pattern): Glob(pattern).matches(device.alias)
    case .any: true
    }
  }

  /// As a user writes it: an address, a name, a service.
  public var text: String {
    switch self {
    case .address(let address): "\(address)"
    case .name(let text), .alias(let text): text
    case .service(let service): AssignedNumbers.serviceIdentifier(service) ?? "\(service)"
    case .any: "*"
    }
  }

  /// For use in a sentence.
  public var description: String {
    switch self {
    case .address(let address): "\(address)"
    case .name(let name): "'\(name)'"
    case .service(let service):
      "a device with \(AssignedNumbers.serviceIdentifier(service) ?? "\(service)")"
    case .alias(let alias): "'\(alias)'"
    case .any: "any device"
    }
  }
}

/// A pattern in which `*` matches any text and `?` one character.
public struct Glob: Hashable, Sendable {
  private let pattern: [Character]

  /// A pattern, in which `*` and `?` are wildcards.
  public init(_ pattern: String) {
    self.pattern = Array(pattern)
  }

  /// Whether all of `text` matches. At worst linear in the product of the lengths.
  public func matches(_ text: String) -> Bool {
    let text = Array(text)
    var (position, index) = (0, 0)
    var star: (index: Int, position: Int)?
    while position < text.count {
      if index < pattern.count, pattern[index] == "*" {
        star = (index, position)
        index += 1
      } else if index < pattern.count, pattern[index] == "?" || pattern[index] == text[position] {
        index += 1
        position += 1
      } else if let last = star {
        star = (last.index, last.position + 1)
        index = last.index + 1
        position = last.position + 1
      } else {
        return false
      }
    }
    return pattern[index...].allSatisfy { $0 == "*" }
  }
}

// Which device is meant.

/// How a user names a device.
public enum DeviceTarget: Hashable, Sendable, CustomStringConvertible {
  case address(BluetoothAddress)
  /// By the name it gives itself; `*` and `?` stand for anything and for one character.
  case name(String)
  /// By a service that it advertises.
  case service(BluetoothUUID)
  /// By the name it has on this host, with `*` and `?`.
  case alias(String)
  /// Whichever comes first.
  case any

  /// An address where `text` is one, else a name.
  public init(parsing text: String) {
    if let address = BluetoothAddress(text) {
      self = .address(address)
    } else {
      self = text == "*" ? .any : .name(text)
    }
  }

  /// Whether a device is the one that is meant.
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

  /// As a sentence calls it.
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

/// A pattern in which `*` stands for anything and `?` for one character.
public struct Glob: Hashable, Sendable {
  private let pattern: [Character]

  public init(_ pattern: String) {
    self.pattern = Array(pattern)
  }

  /// Whether all of `text` matches. Linear in the lengths' product at worst.
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

// Steps about attributes beyond plain reads, writes and notifications.

public import Bluetooth

/// What a step does with the link's or a device's attributes.
public enum AttributeAction: Hashable, Sendable {
  /// Tells the ATT MTU.
  case mtu
  /// Tells interval, latency and supervision timeout of the link.
  case parameters
  /// Lists what the device offers.
  case services
  /// Reads a value from an octet on.
  case readFrom(CharacteristicSelector, offset: Int, format: ValueFormat?)
  case readDescriptor(DescriptorSelector, format: ValueFormat?)
  case writeDescriptor(DescriptorSelector, WrittenValue)

  /// The word for it.
  var operation: String {
    switch self {
    case .mtu: "mtu"
    case .parameters: "connection-parameters"
    case .services: "services"
    case .readFrom: "read"
    case .readDescriptor: "read-descriptor"
    case .writeDescriptor: "write-descriptor"
    }
  }

  /// What it is done to, as it is written; nil where that is the device.
  public var target: String? {
    switch self {
    case .mtu, .parameters, .services: nil
    case .readFrom(let target, _, _): target.description
    case .readDescriptor(let target, _), .writeDescriptor(let target, _): target.description
    }
  }

  /// The characteristic that has to be there for it.
  var characteristic: CharacteristicSelector? {
    switch self {
    case .mtu, .parameters, .services: nil
    case .readFrom(let target, _, _): target
    case .readDescriptor(let target, _), .writeDescriptor(let target, _):
      target.handle == nil ? target.characteristic : nil
    }
  }

  /// How the octets that it brings are written in the one-line form.
  var format: ValueFormat? {
    switch self {
    case .mtu, .parameters, .services, .writeDescriptor: nil
    case .readFrom(_, _, let format), .readDescriptor(_, let format): format
    }
  }

  /// `read battery-level offset 2`.
  var title: String {
    switch self {
    case .mtu, .parameters, .services: operation
    case .readFrom(let target, let offset, _): "read \(target) offset \(offset)"
    case .readDescriptor(let target, _): "read-descriptor \(target)"
    case .writeDescriptor(let target, let value): "write-descriptor \(target) \(value)"
    }
  }

  /// As failures name what was being done.
  var doing: String {
    switch self {
    case .mtu: "asking for the MTU"
    case .parameters: "asking for the timing of the link"
    case .services: "listing the services"
    case .readFrom(let target, _, _): "reading \(target)"
    case .readDescriptor(let target, _): "reading \(target)"
    case .writeDescriptor(let target, _): "writing \(target)"
    }
  }
}

extension SubscriptionOptions {
  /// The options that are not the usual ones, in the one-line form.
  var words: [String] {
    var words: [String] = []
    if delivery != .signals { words.append("delivery \(delivery.rawValue)") }
    if onLinkLoss != .fail { words.append("on-link-loss \(onLinkLoss.rawValue)") }
    if buffer != Self.usualBuffer { words.append("buffer \(buffer)") }
    if overflow != .error { words.append("overflow \(overflow.rawValue)") }
    return words
  }
}

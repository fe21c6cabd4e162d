// A name for the value of a characteristic, for advertised data and machines.

public import Bluetooth

/// What a part of a characteristic's value is called.
public struct View: Sendable, Hashable {
  /// The name of the part, for templates.
  public var name: String
  /// Where several of the device match, the first.
  public var characteristic: CharacteristicSelector
  /// A format of whole numbers; nil: the octets as they are.
  public var format: ValueFormat?
  /// How many octets stand before it.
  public var offset: Int
  /// How many octets it has at most, without a format; nil: all.
  public var count: Int?

  /// A name for a part of a characteristic's value.
  public init(
    _ name: String,
    of characteristic: BluetoothUUID,
    as format: ValueFormat? = nil,
    at offset: Int = 0,
    count: Int? = nil
  ) {
    self.name = name
    self.characteristic = CharacteristicSelector(characteristic: characteristic)
    self.format = format
    self.offset = offset
    self.count = count
  }

  /// What a part of the value that a selector means is called.
  init(
    _ name: String,
    of selector: CharacteristicSelector,
    as format: ValueFormat? = nil,
    at offset: Int = 0,
    count: Int? = nil
  ) {
    self.init(name, of: selector.characteristic, as: format, at: offset, count: count)
    characteristic = selector
  }

  var kind: VariableKind { format == nil ? .octets : .number }

  /// What is seen of a value: 0, or no octets, where it is too short.
  func value(in octets: [UInt8]) -> VariableValue {
    let rest = octets.dropFirst(offset)
    guard let format, let length = format.wholeOctets else {
      return .octets(Array(count.map { rest.prefix($0) } ?? rest))
    }
    if case .integer(let number)? = try? format.decode(Array(rest.prefix(length))) {
      return .number(Int64(clamping: number))
    }
    return .number(0)
  }
}

// A name for the value of a characteristic, for advertised data and machines.

import Bluetooth

/// What a part of a characteristic's value is called.
struct View: Sendable, Hashable {
  /// For templates.
  var name = ""
  /// Where several of the device match, the first.
  var characteristic = CharacteristicSelector(characteristic: BluetoothUUID(short: 0))
  /// A format of whole numbers; nil: the octets as they are.
  var format: ValueFormat?
  /// How many octets stand before it.
  var offset = 0
  /// How many octets it has at most, without a format; nil: all.
  var count: Int?

  var kind: VariableKind { format == nil ? .octets : .number }

  /// What is seen of a value: 0, or no octets, where it is too short.
  func value(in octets: [UInt8]) -> VariableValue {
    let rest = octets.dropFirst(offset)
    guard let format, let length = format.whole?.octets else {
      return .octets(Array(count.map { rest.prefix($0) } ?? rest))
    }
    if case .integer(let number)? = try? format.decode(Array(rest.prefix(length))) {
      return .number(Int64(clamping: number))
    }
    return .number(0)
  }
}

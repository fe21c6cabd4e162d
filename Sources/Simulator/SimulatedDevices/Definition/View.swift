// A named part of a characteristic's value, for advertised data and machines.

import Bluetooth

/// A name for a part of a characteristic's value.
struct View: Sendable, Hashable {
  /// The name in templates.
  var name = ""
  /// The characteristic. If several match, the first.
  var characteristic = CharacteristicSelector(characteristic: BluetoothUUID(short: 0))
  /// An integer format; nil: the plain bytes.
  var format: ValueFormat?
  /// The offset of the part, in bytes.
  var offset = 0
  /// The maximum length of the part without a format, in bytes; nil: to the end.
  var count: Int?

  var kind: VariableKind { format == nil ? .octets : .number }

  /// The value of the part; 0, or no bytes, if the characteristic's value is too short.
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

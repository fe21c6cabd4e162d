// The types of variables of a chain.

import Bluetooth
import Documents

/// The type of a chain's variable.
public enum VariableType: String, Hashable, Sendable, CaseIterable {
  /// Any text; never converted to a number.
  case text
  /// A whole number, decimal or hexadecimal after `0x`.
  case integer
  /// A number, with or without a fraction.
  case number
  case boolean
  /// A duration: `10s`, `500ms`.
  case duration
  /// A Bluetooth address: `C0:FF:EE:00:00:01`.
  case address
  /// Bytes as hexadecimal digits.
  case hex

  /// Whether `text` is a valid value of the type.
  ///
  /// ```swift
  /// print(VariableType.duration.accepts("10s"), VariableType.integer.accepts("ten"))  // true false
  /// ```
  public func accepts(_ text: String) -> Bool {
    let node = Node(.scalar(text, isPlain: true), at: Place(file: ""), path: "")
    return switch self {
    case .text: true
    case .integer: node.integer != nil
    case .number: node.number != nil
    case .boolean: node.truth != nil
    case .duration: node.duration != nil
    case .address: BluetoothAddress(text) != nil
    case .hex: (try? ValueFormat("hex")?.encode(text)) != nil
    }
  }

  var shape: String {
    switch self {
    case .text: "a text"
    case .integer: "a whole number"
    case .number: "a number"
    case .boolean: "true or false"
    case .duration: "a duration such as 10s"
    case .address: BluetoothAddress.expected
    case .hex: "hexadecimal digits, two for each byte"
    }
  }

  /// Whether values are substituted without quotes, so that YAML may read them as numbers or
  /// booleans.
  var isPlain: Bool { self != .text && self != .hex && self != .address }
}

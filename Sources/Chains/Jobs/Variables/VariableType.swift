// The types of variables of a chain.

import Bluetooth
import Documents

/// The kind of value that a variable of a chain takes.
public enum VariableType: String, Hashable, Sendable, CaseIterable {
  /// Any text; it is never read as a number.
  case text
  /// A whole number, decimal or after `0x`.
  case integer
  /// A number, also with a fraction.
  case number
  /// `true` or `false`.
  case boolean
  /// `10s`, `500ms`.
  case duration
  /// `C0:FF:EE:00:00:01`.
  case address
  /// Octets as hexadecimal digits.
  case hex

  /// Whether `text` is such a value.
  ///
  /// ```swift
  /// print(VariableType.duration.takes("10s"), VariableType.integer.takes("ten"))  // true false
  /// ```
  public func takes(_ text: String) -> Bool {
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

  /// Whether its values are used without quotes.
  var isPlain: Bool { self != .text && self != .hex && self != .address }
}

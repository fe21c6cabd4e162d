// A function over all values of a stream, as the subject of an expectation.
//
// It needs no memory for the values: ExpressionTotal adds each one as it arrives.

import Bluetooth
import Documents

/// A function over all values of a step: `sum(energy)`, `distinct(sequence)`, `crc32(bytes)`.
public struct Total: Hashable, Sendable, CustomStringConvertible {
  let function: ExpressionFunction
  /// The name of a CRC in the catalogue; nil for the usual one.
  let checksum: String?
  /// The part of each value that the function is given.
  let part: Expectation.Subject

  /// The word for the bytes that the device sent, in place of a part.
  static let bytes = "bytes"
  static let octets = ValueFormat("hex").map { Expectation.Subject.format($0) } ?? .value

  public var description: String {
    let part = part == Self.octets ? Self.bytes : "\(part)"
    return "\(function.rawValue)(\(part)\(checksum.map { ",\($0)" } ?? ""))"
  }

  /// The functions that make one value of many.
  static let functions = ExpressionFunction.allCases.filter(\.isTotal)

  /// Splits a text such as `crc16(data, "modbus")` at its brackets and commas, without quotes; nil
  /// for a text without brackets.
  static func split(_ text: String) -> (function: String, arguments: [String])? {
    guard let open = text.firstIndex(of: "("), text.last == ")" else { return nil }
    let inner = text[text.index(after: open)...].dropLast()
    let arguments = inner.split(separator: ",", omittingEmptySubsequences: false).map { argument in
      String(argument.trimmed { " \"'".contains($0) })
    }
    return (String(text[..<open]), arguments)
  }

  /// Starts the calculation.
  var beginning: ExpressionTotal { ExpressionTotal(function, checksum: checksum) }

  /// The values that it is given of the part in one value of the step: of a list, its elements.
  func values(of part: DecodedValue) -> [DecodedValue] {
    if case .list(let elements) = part.only, !function.takesOctets { return elements }
    return [part.only]
  }
}

extension Substring {
  fileprivate func trimmed(_ isOutside: (Character) -> Bool) -> Substring {
    var text = drop(while: isOutside)
    while let last = text.last, isOutside(last) { text.removeLast() }
    return text
  }
}

// Values of a device file: constant ones, and those with generated numbers.

import Bluetooth
import Descriptions
import Documents

extension DeviceReader {
  static let formats = ValueFormat.names + ["medfloat", "medfloat16"]

  /// Reads bytes from `{ u8: 87 }`, or from a list of such parts. The name of a description is a format,
  /// too.
  mutating func octets(_ node: Node) -> [UInt8]? {
    let parts = (node.sequence ?? [node]).map { part in
      formatted(part).flatMap { entry in
        description(entry.key).map { fields(entry.value, of: $0) } ?? fixed(entry.value, entry.key)
      }
    }
    return joined(parts, node)
  }

  /// Reads bytes from the fields of a described value.
  mutating func fields(_ node: Node) -> [UInt8]? {
    guard let described else {
      problems.append(
        node.problem(
          "the values of this attribute have no described fields",
          expected: "a value such as { u8: 87 }"
        )
      )
      return nil
    }
    return fields(node, of: described)
  }

  /// Octets of a value that a description has.
  mutating func fields(_ node: Node, of description: ValueDescription) -> [UInt8]? {
    do throws(Problem) {
      return try description.octets(of: node)
    } catch {
      problems.append(error)
      return nil
    }
  }

  /// Reads bytes from pairs of hexadecimal digits.
  mutating func hex(_ node: Node) -> [UInt8]? {
    guard node.text != nil else {
      problems.append(node.problem(expected: "bytes such as \"01 ff\""))
      return nil
    }
    return joined([fixed(node, "hex")], node)
  }

  private mutating func joined(_ parts: [[UInt8]?], _ node: Node) -> [UInt8]? {
    let whole = parts.compactMap(\.self)
    guard whole.count == parts.count else { return nil }
    let octets = whole.flatMap(\.self)
    return isShort(octets.count, node) ? octets : nil
  }

  /// Returns whether a value is within the maximum length, and reports the problem otherwise.
  mutating func isShort(_ octets: Int, _ node: Node) -> Bool {
    if octets <= FileLimits.octets { return true }
    problems.append(node.problem("the value is longer than \(FileLimits.octets) bytes"))
    return false
  }

  /// The one entry of `{ u8: 87 }`.
  private mutating func formatted(_ node: Node) -> Node.Entry? {
    guard let entries = node.mapping, let entry = entries.first, entries.count == 1 else {
      let found = node.mapping == nil ? node.shown : "a mapping of several keys"
      problems.append(node.problem("expected a value such as { u8: 87 }, found \(found)"))
      return nil
    }
    guard Self.formats.contains(entry.key) || description(entry.key) != nil else {
      let known = Self.formats + attributeNames.descriptions.map(\.name)
      problems.append(name(entry).problem(unknown: "format", among: known))
      return nil
    }
    return entry
  }

  mutating func fixed(_ node: Node, _ name: String) -> [UInt8]? {
    if let format = ValueFormat(name) {
      do throws(ValueError) {
        guard let text = node.text ?? (name == "utf8" ? plainText(node) : nil) else {
          problems.append(node.problem(expected: "a value of \(name)"))
          return nil
        }
        return try format.encode(text)
      } catch {
        problems.append(node.problem(error.problem, expected: "a value of \(name)"))
        return nil
      }
    }
    guard let number = node.number else {
      problems.append(node.problem(expected: "a number"))
      return nil
    }
    let format = numberFormat(name, decimals: Self.decimals(node))
    if let octets = format?.encode(number) { return octets }
    problems.append(node.problem("\(node.shown) is out of range for \(name)"))
    return nil
  }

  /// The text of a scalar that YAML reads as null.
  private func plainText(_ node: Node) -> String? {
    guard case .scalar(let text, _) = node.content else { return nil }
    return text
  }

  // MARK: Moving numbers

  /// Reads the parts of a wave: constant values and numbers with bounds.
  mutating func parts(_ node: Node) -> [Wave.Part] {
    let nodes = node.sequence ?? [node]
    var parts: [Wave.Part] = []
    for node in nodes {
      guard let entry = formatted(node) else { continue }
      if let description = description(entry.key) {
        if let octets = fields(entry.value, of: description) { parts.append(.octets(octets)) }
      } else if entry.value.mapping == nil {
        if let octets = fixed(entry.value, entry.key) { parts.append(.octets(octets)) }
      } else if let number = moving(entry.value, entry.key) {
        parts.append(.number(number))
      }
    }
    if parts.count == nodes.count {
      let moves = parts.contains { if case .number = $0 { true } else { false } }
      if !moves {
        problems.append(
          node.problem("no number with low and high", expected: "{ u8: { low, high } }")
        )
      }
      _ = isShort(parts.flatMap { $0.octets(at: 0) }.count, node)
    }
    return parts
  }

  private mutating func moving(_ node: Node, _ name: String) -> MovingNumber? {
    let before = problems.count
    let moving = Self.movingForm.read(node, &self)
    guard problems.count == before, let low = moving.low, let high = moving.high else {
      return nil
    }
    let (decimals, dividend) = (moving.decimals, moving.dividend)
    guard let lowest = low.number, let highest = high.number else {
      let wrong = low.number == nil ? low : high
      problems.append(wrong.problem(expected: "a number"))
      return nil
    }
    let written = max(Self.decimals(low), Self.decimals(high))
    guard let format = numberFormat(name, decimals: decimals ?? written) else {
      problems.append(
        node.problem("\(name) has no number to change", expected: "a format of numbers")
      )
      return nil
    }
    if decimals != nil, case .plain = format {
      problems.append(node.problem("\(name) does not take decimals"))
    }
    if dividend != nil, min(lowest, highest) <= 0, max(lowest, highest) >= 0 {
      problems.append(node.problem("the dividend would be divided by zero"))
      return nil
    }
    let number = MovingNumber(format: format, low: lowest, high: highest, dividend: dividend)
    for (end, fraction) in [(low, 0.0), (high, 1.0)] where number.octets(at: fraction).isEmpty {
      problems.append(end.problem("\(end.shown) is out of range for \(name)"))
    }
    return number
  }

  /// The number format called `name`; nil for text formats.
  private func numberFormat(_ name: String, decimals: Int) -> NumberFormat? {
    switch name {
    case "medfloat": return .medicalFloat(decimals: decimals)
    case "medfloat16": return .shortMedicalFloat(decimals: decimals)
    default:
      let format = ValueFormat(name).map { NumberFormat.plain($0) }
      return format?.encode(0) == nil ? nil : format
    }
  }

  /// The number of digits after the decimal point.
  private static func decimals(_ node: Node) -> Int {
    let text = node.text ?? ""
    guard let point = text.firstIndex(of: ".") else { return 0 }
    return text[text.index(after: point)...].prefix { $0.isNumber }.count
  }
}

// The values of the keys of device and scenario files: numbers, durations, names, codes.

import Bluetooth
import Documents

// MARK: Shapes of shapes

extension Shape where State == DeviceReader {
  /// A list of these values.
  ///
  /// - Parameters:
  ///   - what: The elements, in the plural.
  /// - none: The problem with an empty list; nil: it may be empty.
  func list(
    of what: String, _ count: ClosedRange<Int> = 0...Int.max, none: String? = nil
  ) -> DeviceShape<[Value]> {
    let limit = count.upperBound
    let bounds = limit < .max ? " of at most \(limit)" : ""
    return DeviceShape<[Value]>(
      "a list\(bounds)", schema: .list(of: schema, count), shown: { $0.isEmpty ? "none" : nil }
    ) { node, reader in
      let nodes = reader.list(node, what, atMost: limit)
      if let none, node.isNull || node.sequence?.isEmpty == true {
        reader.problems.append(node.problem(none))
      }
      return nodes.compactMap { self.read($0, &reader) }
    }
  }

  /// One value, or a list of values.
  func oneOrMore(_ expected: String) -> DeviceShape<[Value]> {
    DeviceShape<[Value]>(expected, schema: .any([schema, .list(of: schema)])) { node, reader in
      (node.sequence ?? [node]).compactMap { self.read($0, &reader) }
    }
  }

  /// One mapping, or a list of mappings; null is an empty list.
  ///
  /// - Parameter what: The mappings, in the plural.
  func oneOrMore(_ expected: String, atMost limit: Int, of what: String) -> DeviceShape<[Value]> {
    DeviceShape<[Value]>(expected, schema: .any([schema, .list(of: schema)])) { node, reader in
      let nodes = node.mapping == nil ? reader.list(node, what, atMost: limit) : [node]
      return nodes.compactMap { self.read($0, &reader) }
    }
  }

  /// A shape with the same text, whose value is converted by `change`.
  func map<Other>(_ change: @escaping @Sendable (Value) -> Other) -> DeviceShape<Other> {
    DeviceShape<Other>(expected, schema: schema) { node, reader in
      self.read(node, &reader).map(change)
    }
  }

  /// Calls `begin` before reading the value.
  func beforeReading(_ begin: @escaping @Sendable (inout DeviceReader) -> Void) -> DeviceShape<
    Value
  > {
    DeviceShape<Value>(expected, schema: schema, shown: shown) { node, reader in
      begin(&reader)
      return self.read(node, &reader)
    }
  }

  /// Calls `finish` with the value after reading it, to check it or to keep it for later keys.
  func afterReading(
    _ finish: @escaping @Sendable (Value, Node, inout DeviceReader) -> Void
  ) -> DeviceShape<Value> {
    DeviceShape<Value>(expected, schema: schema, shown: shown) { node, reader in
      guard let value = self.read(node, &reader) else { return nil }
      finish(value, node, &reader)
      return value
    }
  }
}

// MARK: Scalars

extension Shape where State == DeviceReader, Value == Duration {
  /// The delay of an operation.
  static var delay: DeviceShape<Duration> { .duration(FileLimits.delay) }
  /// The time between two values.
  static var period: DeviceShape<Duration> { .duration(FileLimits.period) }
  /// A connection interval.
  static var connectionInterval: DeviceShape<Duration> {
    .duration(ConnectionParameters.intervals, inStepsOf: ConnectionParameters.intervalUnit)
  }
}

extension Shape where State == DeviceReader, Value == String {
  /// The name of a device or an adapter.
  static var name: DeviceShape<String> { name(FileLimits.name) }

  static func name(_ bytes: Int) -> DeviceShape<String> {
    DeviceShape.text("at most \(bytes) bytes of text", bytes: bytes).afterReading {
      name, node, reader in
      if name.utf8.contains(0) {
        reader.problems.append(
          node.problem("the name has a NUL character, at which every host ends it")
        )
      }
    }
  }
}

extension Shape where State == DeviceReader, Value == BluetoothAddress {
  static var address: DeviceShape<BluetoothAddress> {
    DeviceShape(
      BluetoothAddress.expected,
      schema: Schema([
        "type": "string", "pattern": .string(BluetoothAddress.pattern),
        "description": "An address such as C0:FF:EE:00:00:01.",
      ]).named("address")
    ) { node, _ in node.text.flatMap { BluetoothAddress($0) } }
  }
}

extension Shape where State == DeviceReader, Value == UInt16 {
  static var appearance: DeviceShape<UInt16> {
    DeviceShape(
      "a number from 0 to 0xffff",
      schema: Schema(["type": "integer", "minimum": 0, "maximum": 65_535])
    ) { node, _ in node.integer.flatMap { UInt16(exactly: $0) } }
  }
}

extension Shape where State == DeviceReader, Value == Bool {
  /// `first: now`: whether a subscriber receives a value at once.
  static var first: DeviceShape<Bool> {
    DeviceShape("now or later", schema: .words(["now", "later"]), shown: { $0 ? "now" : "later" }) {
      node,
      _ in ["now": true, "later": false][node.text ?? ""]
    }
  }

  /// `echo: true`
  static var yes: DeviceShape<Bool> {
    DeviceShape("true", schema: Schema(["const": true])) { node, _ in
      node.truth == true ? true : nil
    }
  }
}

// MARK: Names and codes

extension Shape where State == DeviceReader, Value == BluetoothUUID {
  static var service: DeviceShape<BluetoothUUID> { named(.service) }
  static var characteristic: DeviceShape<BluetoothUUID> { named(.characteristic) }
  static var descriptor: DeviceShape<BluetoothUUID> { named(.descriptor) }

  private static func named(_ kind: AttributeKind) -> DeviceShape<BluetoothUUID> {
    DeviceShape(
      "an assigned name or a UUID",
      schema: Schema([
        "type": ["string", "integer"],
        "description": "An assigned name such as heart-rate, or a UUID of 4, 8 or 32 digits.",
      ]).named("name")
    ) { node, reader in reader.uuid(node, of: kind) }
  }
}

extension Shape where State == DeviceReader, Value == CharacteristicSelector {
  /// Another characteristic of the device, which must meet a requirement.
  static func reference(_ need: Reference.Need) -> DeviceShape<CharacteristicSelector> {
    selector { node, reader in reader.reference(node, need) }
  }

  /// The name of a characteristic, without a check that a device has it.
  static var selector: DeviceShape<CharacteristicSelector> {
    selector { node, reader in reader.selector(node) }
  }

  private static func selector(
    _ read: @escaping @Sendable (Node, inout DeviceReader) -> CharacteristicSelector?
  ) -> DeviceShape<CharacteristicSelector> {
    DeviceShape(
      "a characteristic",
      schema: Schema([
        "type": ["string", "integer"],
        "description": .string(
          "A characteristic of the device: battery-level, 2a19, battery/battery-level, 2a6e#1 or "
            + "@0x0014."
        ),
      ]).named("reference"),
      read: read
    )
  }
}

extension Shape where State == DeviceReader, Value == ATTErrorCode {
  static var errorCode: DeviceShape<ATTErrorCode> {
    DeviceShape(
      "a number from 0x01 to 0xff or a name such as insufficient-authentication",
      schema: Schema([
        "anyOf": [["type": "integer", "minimum": 1, "maximum": 255], ["type": "string"]],
        "description": "0x80, 128, or a name such as value-not-allowed.",
      ]).named("errorCode")
    ) { node, reader in reader.errorCode(node) }
  }
}

// MARK: Values

extension Shape where State == DeviceReader, Value == [UInt8] {
  static var octets: DeviceShape<[UInt8]> {
    DeviceShape("a value such as { u8: 87 }", schema: ValueSchemas.valueOrFields) { node, reader in
      guard let entries = node.mapping, entries.count == 1, entries[0].key == "fields" else {
        return reader.octets(node)
      }
      return reader.fields(entries[0].value)
    }
  }
}

extension Shape where State == DeviceReader, Value == ValueTemplate {
  /// A value that may contain the known variables.
  static var template: DeviceShape<ValueTemplate> {
    DeviceShape("a value such as { u16: $level * 10 }", schema: ValueSchemas.template) {
      node,
      reader in reader.template(node, reader.knownVariables)
    }
  }
}

extension Shape where State == DeviceReader, Value == BytePattern {
  static var pattern: DeviceShape<BytePattern> {
    DeviceShape(
      "a pattern of bytes",
      schema: Schema([
        "type": ["string", "integer"],
        "description": .string(
          "Words between spaces: 01, 0?, ??, 1xxx0000, 'text', <name:u16>, <name:*>, *."
        ),
      ]).named("pattern")
    ) { node, reader in reader.pattern(node) }
  }
}

extension Shape where State == DeviceReader, Value == [Wave.Part] {
  static var movingParts: DeviceShape<[Wave.Part]> {
    DeviceShape(
      "a list such as [{ u8: { low: 1, high: 9 } }]", schema: ValueSchemas.movingParts
    ) { node, reader in reader.parts(node) }
  }
}

extension Shape where State == DeviceReader, Value == Node {
  /// A node that is checked later, once the rest is known.
  static func later(
    _ expected: String, _ schema: @autoclosure @escaping @Sendable () -> Schema
  ) -> DeviceShape<Node> {
    DeviceShape(expected, schema: schema()) { node, _ in node }
  }
}

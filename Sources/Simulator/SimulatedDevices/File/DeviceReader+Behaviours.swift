// The common part of the behaviours in a device file. The keys of each behaviour are in its own
// file.

import Bluetooth
import Documents

/// A key of a characteristic that gives it a behaviour.
struct BehaviourKey: Sendable {
  let key: DeviceKey<CharacteristicDefinition>
  /// The name of the documentation's table with the keys of the behaviour; nil: it has no keys.
  let table: String?

  init<Value>(
    _ name: String, _ shape: DeviceShape<Value>, table: String? = nil, _ doc: String,
    _ make: @escaping @Sendable (Value) -> Behaviour
  ) {
    key = DeviceKey(name, shape, doc) { characteristic, value, _ in
      var behaviour = make(value)
      if case .response(var response) = behaviour {
        // A control point may have a `value` as its initial value.
        response.initial = characteristic.behaviour.initialValue
        behaviour = .response(response)
      }
      characteristic.behaviour = behaviour
    }
    self.table = table
  }
}

extension DeviceReader {
  /// A generated number between two bounds, before its format is known.
  struct Moving: Sendable {
    var low: Node?
    var high: Node?
    var decimals: Int?
    var dividend: Double?
  }

  static let movingForm = DeviceForm<Moving>(
    "A number that moves.",
    Moving(),
    [
      DeviceKey(
        "low", \.low, .later("a number", Schema(["type": "number"])), isRequired: true,
        "the low end"
      ),
      DeviceKey(
        "high", \.high, .later("a number", Schema(["type": "number"])), isRequired: true,
        "the high end"
      ),
      DeviceKey(
        "decimals", \.decimals, .integer(0...8), usual: "as many as are written",
        "of a medical format"
      ),
      DeviceKey(
        "dividend",
        \.dividend,
        DeviceShape("a number", schema: Schema(["type": "number"])) { node, _ in node.number },
        "what is sent is this, divided by the number"
      ),
    ]
  )
}

extension Shape where State == DeviceReader, Value == Int64 {
  static var whole: DeviceShape<Int64> {
    DeviceShape("a whole number", schema: Schema(["type": "integer"]), shown: { "\($0)" }) {
      node,
      _ in node.integer.map { Int64($0) }
    }
  }
}

extension Shape where State == DeviceReader, Value == ValueFormat {
  /// A name of one of these formats.
  static func format(among formats: [ValueFormat]) -> DeviceShape<ValueFormat> {
    let names = formats.map(\.name)
    return DeviceShape(
      "one of " + names.joined(separator: ", "), schema: .words(names), shown: { $0.name }
    ) { node, reader in
      if let format = formats.first(where: { $0.name == node.text }) { return format }
      reader.problems.append(reader.unfit(node, among: names))
      return nil
    }
  }
}

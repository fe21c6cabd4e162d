// Calls to bluetoothd.

import BlueZInterfaces
import DBus

extension MethodCall {
  /// A call of a method of bluetoothd.
  static func bluez<Input, Output>(
    _ path: ObjectPath, _ method: Method<Input, Output>, _ input: Input
  ) -> MethodCall {
    do {
      return try MethodCall(method, input, on: path, of: OrgBlueZ.busName)
    } catch {
      preconditionFailure("\(method.interface).\(method.name) is not a valid name: \(error)")
    }
  }

  /// A call of a method without arguments.
  static func bluez<Output>(_ path: ObjectPath, _ method: Method<Void, Output>) -> MethodCall {
    bluez(path, method, ())
  }

  /// A call that reads a property.
  static func get<Value>(_ property: Property<Value>, at path: ObjectPath) -> MethodCall {
    bluez(path, StandardInterface.get, (property.interface, property.name))
  }

  /// A call that sets a property.
  static func set<Value>(
    _ property: Property<Value>, _ value: Value, at path: ObjectPath
  ) -> MethodCall {
    let value = DBusValue.variant(of: property.codec.encode(value))
    return bluez(path, StandardInterface.set, (property.interface, property.name, value))
  }
}

extension Message {
  /// The results in the reply to a method call; nil when they have other types.
  func output<Input, Output>(of method: Method<Input, Output>) -> Output? {
    method.output.decode(body)
  }

  /// The value in the reply to ``MethodCall/get(_:at:)``.
  func value<Value>(of property: Property<Value>) -> Value? {
    output(of: StandardInterface.get).flatMap(property.codec.decode)
  }
}

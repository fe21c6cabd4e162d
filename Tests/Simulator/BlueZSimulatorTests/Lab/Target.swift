// The target of a test's call: an object and one of its interfaces.

import BlueZInterfaces
import DBus

/// An interface of an object.
struct Target: Sendable {
  let path: ObjectPath
  let interface: String

  init(_ path: ObjectPath, _ interface: String) {
    self.path = path
    self.interface = interface
  }

  static let agents = Target("/org/bluez", AgentManager1.interface)
  static let adapter = Target("/org/bluez/hci0", Adapter1.interface)
  static let device = Target("/org/bluez/hci0/dev_C0_FF_EE_00_00_01", Device1.interface)

  /// The attributes of ``monitor``, by the end of their paths.
  static let heartRate = attribute("service000a/char000b")
  static let location = attribute("service000a/char000e")
  static let control = attribute("service000a/char0010")
  static let battery = attribute("service0012/char0013")
  static let echo = attribute("service0016/char0017")
  static let short = attribute("service0016/char001b")
  static let indicated = attribute("service0016/char001d")
  static let command = attribute("service0016/char0020")
  static let slow = attribute("service0016/char0022")
  static let description = Target(
    ObjectPath(stringLiteral: echo.path.text + "/desc001a"), GattDescriptor1.interface
  )
  static let configuration = Target(
    ObjectPath(stringLiteral: echo.path.text + "/desc0019"), GattDescriptor1.interface
  )

  static func attribute(_ end: String) -> Target {
    Target(ObjectPath(stringLiteral: device.path.text + "/" + end), GattCharacteristic1.interface)
  }

  /// The Properties of the same object.
  var properties: Target { Target(path, StandardInterface.properties) }

  /// The Introspectable of the same object.
  var introspectable: Target { Target(path, StandardInterface.introspectable) }
}

extension [DBusValue] {
  /// No options.
  static var noOptions: [DBusValue] { [.properties([:])] }

  /// The arguments of WriteValue.
  static func write(_ octets: [UInt8], _ options: PropertyMap = [:]) -> [DBusValue] {
    [.bytes(octets), .properties(options)]
  }

  /// The arguments of Properties.Set.
  static func set(_ name: String, _ value: DBusValue, of target: Target) -> [DBusValue] {
    [.string(target.interface), .string(name), .variant(of: value)]
  }
}

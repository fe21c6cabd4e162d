// Which side of a device is meant, where it has two.

import BlueZInterfaces
import DBus

extension ObjectTree {
  /// Whether bluetoothd offers the LE side of a dual-mode device by itself.
  func hasBearers(_ device: ObjectPath) -> Bool {
    has(BearerLE1.interface, at: device) && has(BearerBREDR1.interface, at: device)
  }

  /// Whether bluetoothd says that a device is connected; over LE, where it tells that apart.
  func isConnected(_ device: ObjectPath) -> Bool {
    let (name, interface) =
      hasBearers(device)
      ? (BearerLE1.Property.connected, BearerLE1.interface)
      : (Device1.Property.connected, Device1.interface)
    return property(name, interface, at: device)?.asBool ?? false
  }

  /// The interface whose Connect and Disconnect concern the LE link alone.
  func linkInterface(_ device: ObjectPath) -> String {
    hasBearers(device) ? BearerLE1.interface : Device1.interface
  }

  /// Whether bluetoothd may try BR/EDR first: a dual-mode device that is not set to LE.
  func mayPreferClassic(_ device: ObjectPath) -> Bool {
    let preferred = property(
      Device1.Property.preferredBearer,
      Device1.interface,
      at: device
    )?.asString
    return !hasBearers(device) && preferred != nil && preferred != PreferredBearer.lowEnergy
  }
}

// Which side of a device is meant, where it has two.

import BlueZInterfaces
import DBus

/// What makes and ends the link of a device.
struct LinkMethods: Sendable {
  let connect: Method<Void, Void>
  let disconnect: Method<Void, Void>

  static let device = LinkMethods(connect: Device1.connect, disconnect: Device1.disconnect)
  static let bearer = LinkMethods(connect: BearerLE1.connect, disconnect: BearerLE1.disconnect)
}

extension ObjectTree {
  /// Whether bluetoothd offers the LE side of a dual-mode device by itself.
  func hasBearers(_ device: ObjectPath) -> Bool {
    has(BearerLE1.interface, at: device) && has(BearerBREDR1.interface, at: device)
  }

  /// Whether bluetoothd says that a device is connected; over LE, where it tells that apart.
  func isConnected(_ device: ObjectPath) -> Bool {
    value(hasBearers(device) ? BearerLE1.connected : Device1.connected, at: device) ?? false
  }

  /// Connect and Disconnect of the LE link alone, where bluetoothd offers that.
  func linkMethods(_ device: ObjectPath) -> LinkMethods {
    hasBearers(device) ? .bearer : .device
  }

  /// Whether bluetoothd may try BR/EDR first: a dual-mode device that is not set to LE.
  func mayPreferClassic(_ device: ObjectPath) -> Bool {
    let preferred = value(Device1.preferredBearer, at: device)
    return !hasBearers(device) && preferred != nil && preferred != PreferredBearer.lowEnergy
  }
}

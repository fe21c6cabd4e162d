// Which bearer of a dual-mode device is used.

import BlueZInterfaces
import DBus

/// The methods that connect and disconnect a device.
struct LinkMethods: Sendable {
  let connect: Method<Void, Void>
  let disconnect: Method<Void, Void>

  static let device = LinkMethods(connect: Device1.connect, disconnect: Device1.disconnect)
  static let bearer = LinkMethods(connect: BearerLE1.connect, disconnect: BearerLE1.disconnect)
}

extension ObjectTree {
  /// Whether bluetoothd exports the LE bearer of a dual-mode device.
  ///
  /// Unless it runs with `--experimental`, both interfaces are there without properties and methods.
  ///
  /// - Source: BlueZ 5.84, `src/bearer.c`.
  func hasBearers(_ device: ObjectPath) -> Bool {
    value(BearerLE1.connected, at: device) != nil && has(BearerBREDR1.interface, at: device)
  }

  /// Whether bluetoothd reports a device as connected; over LE, where it distinguishes bearers.
  func isConnected(_ device: ObjectPath) -> Bool {
    value(hasBearers(device) ? BearerLE1.connected : Device1.connected, at: device) ?? false
  }

  /// Connect and Disconnect of the LE bearer alone, if bluetoothd exports it.
  func linkMethods(_ device: ObjectPath) -> LinkMethods {
    hasBearers(device) ? .bearer : .device
  }

  /// Whether bluetoothd may try BR/EDR first: a dual-mode device that is not set to LE.
  func mayPreferClassic(_ device: ObjectPath) -> Bool {
    let preferred = value(Device1.preferredBearer, at: device)
    return !hasBearers(device) && preferred != nil && preferred != PreferredBearer.lowEnergy
  }
}

// Events at the devices, as an observer in the simulator sees them.

public import Bluetooth
public import SimulatedDevices

/// An event between the simulated host and a device.
///
/// Reported on the loop, in order, when it happens at the device, whatever the clients know.
public enum SimulatorEvent: Hashable, Sendable, CustomStringConvertible {
  case linkUp(BluetoothAddress)
  case linkDown(BluetoothAddress)
  case read(BluetoothAddress, BluetoothUUID)
  case written(BluetoothAddress, BluetoothUUID, [UInt8])
  case subscribed(BluetoothAddress, BluetoothUUID)
  case unsubscribed(BluetoothAddress, BluetoothUUID)
  case notified(BluetoothAddress, BluetoothUUID, [UInt8])
  /// The connection has a new key.
  case paired(BluetoothAddress, LinkSecurity)
  /// Whether the controller scans.
  case scanning(Bool)

  public var description: String {
    switch self {
    case .linkUp(let address): "\(address) link up"
    case .linkDown(let address): "\(address) link down"
    case .read(let address, let uuid): "\(address) read \(uuid)"
    case .written(let address, let uuid, let value): "\(address) written \(uuid) \(value)"
    case .subscribed(let address, let uuid): "\(address) subscribed \(uuid)"
    case .unsubscribed(let address, let uuid): "\(address) unsubscribed \(uuid)"
    case .notified(let address, let uuid, let value): "\(address) notified \(uuid) \(value)"
    case .paired(let address, let security): "\(address) paired, \(security.rawValue)"
    case .scanning(let isOn): "scanning \(isOn ? "on" : "off")"
    }
  }
}

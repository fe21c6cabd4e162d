// Events at the simulated devices.

public import Bluetooth
public import SimulatedDevices

/// An event between the simulated host and a device.
///
/// Reported on the loop, in order, at the moment it happens at the device; clients may learn of it
/// later.
public enum SimulatorEvent: Hashable, Sendable, CustomStringConvertible {
  /// A device connected.
  case linkUp(BluetoothAddress)
  /// A connection ended.
  case linkDown(BluetoothAddress)
  /// A device answered a read of a characteristic.
  case read(BluetoothAddress, BluetoothUUID)
  /// A device received a value for a characteristic.
  case written(BluetoothAddress, BluetoothUUID, [UInt8])
  /// Notifications or indications of a characteristic were enabled.
  case subscribed(BluetoothAddress, BluetoothUUID)
  /// Notifications or indications of a characteristic were disabled.
  case unsubscribed(BluetoothAddress, BluetoothUUID)
  /// A device sent a value of a characteristic.
  case notified(BluetoothAddress, BluetoothUUID, [UInt8])
  /// The connection was encrypted with a new key.
  case paired(BluetoothAddress, LinkSecurity)
  /// A device sent a Security Request.
  case securityRequested(BluetoothAddress)
  /// The controller started or stopped scanning.
  case scanning(Bool)

  /// The parts of the event, with the names of scenarios and the log.
  var parts:
    (
      kind: WorldEvent.Kind, device: BluetoothAddress?, characteristic: BluetoothUUID?,
      value: [UInt8]
    )
  {
    switch self {
    case .linkUp(let address): (.connected, address, nil, [])
    case .linkDown(let address): (.disconnected, address, nil, [])
    case .read(let address, let uuid): (.read, address, uuid, [])
    case .written(let address, let uuid, let value): (.written, address, uuid, value)
    case .subscribed(let address, let uuid): (.subscribed, address, uuid, [])
    case .unsubscribed(let address, let uuid): (.unsubscribed, address, uuid, [])
    case .notified(let address, let uuid, let value): (.notified, address, uuid, value)
    case .paired(let address, _): (.paired, address, nil, [])
    case .securityRequested(let address): (.securityRequested, address, nil, [])
    case .scanning(let isOn): (isOn ? .scanning : .scanned, nil, nil, [])
    }
  }

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
    case .securityRequested(let address): "\(address) security requested"
    case .scanning(let isOn): "scanning \(isOn ? "on" : "off")"
    }
  }
}

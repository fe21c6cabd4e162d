// The effects of faults on devices and adapters, for scenarios, control and fuzzing alike.

public import Bluetooth
public import SimulatedDevices

extension BlueZSimulator {
  /// Changes a device, or its link.
  public func apply(_ change: DeviceChange, to device: BluetoothAddress) {
    let own = devices.first { $0.definition.address == device }
    switch change {
    case .loseLink: loseLink(device)
    case .vanish: vanish(device)
    case .appear: appear(device)
    case .offer(let service, let isOffered): offer(service, isOffered, at: device)
    case .replace(let service, let isReplaced): replace(service, isReplaced, at: device)
    case .services(let resolution): resolve(resolution, at: device)
    case .notifications(let fault): own?.setNotificationFault(fault)
    case .rules(let rules): own?.setFaults(rules)
    case .rule(let rule): own?.addFault(rule)
    }
  }

  /// Changes an adapter, counted from 0 in the order of the settings.
  public func apply(_ change: AdapterChange, toAdapter adapter: Int) {
    switch change {
    case .power(let isOn): setPowered(isOn, adapter: adapter)
    case .unplug: unplug(adapter: adapter)
    case .plugIn(let number): plugIn(as: number, adapter: adapter)
    }
  }
}

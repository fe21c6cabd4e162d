// Performs actions on devices and adapters, for scenarios, the control interface and seeded worlds.

public import Bluetooth
public import SimulatedDevices

extension BlueZSimulator {
  /// Changes a device, or its link.
  public func apply(_ change: DeviceChange, to device: BluetoothAddress) {
    let own = (devices + locals.map(\.device)).first { $0.definition.address == device }
    switch change {
    case .loseLink: loseLink(device)
    case .vanish: vanish(device)
    case .appear: appear(device)
    case .loseBonds: own?.loseBonds()
    case .offer(let service, let isOffered): offer(service, isOffered, at: device)
    case .replace(let service, let isReplaced): replace(service, isReplaced, at: device)
    case .services(let resolution): resolve(resolution, at: device)
    case .notifications(let fault): own?.setNotificationFault(fault)
    case .rules(let rules): own?.setFaults(rules)
    case .rule(let rule): own?.addFault(rule)
    case .move(let rssi, let duration): own?.move(to: rssi, within: duration)
    case .follow(let movement): own?.move(movement)
    case .stray(let spread): own?.stray(by: spread)
    case .set(let value, let handle): own?.setValue(value, at: handle)
    case .release(let handle): own?.letMove(at: handle)
    case .advertise(let advertisement, let endsMovement):
      own?.advertise(advertisement)
      if endsMovement { own?.move(nil) }
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

  /// Ends bluetoothd: killed, or terminated in good order.
  public func end(isKilled: Bool) {
    if !isKilled { stop() }
    crash()
  }
}

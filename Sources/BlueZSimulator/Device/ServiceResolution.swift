// How the services of a device are resolved: normally, or with a fault.

import BlueZInterfaces
public import Bluetooth
import Signals
public import SimulatedDevices

extension BlueZSimulator {
  /// Resolves the services of a device in this way on its next connections.
  ///
  /// Objects from an earlier connection stay.
  public func resolve(_ resolution: ServiceResolution, at address: BluetoothAddress) {
    for remote in remotes(address) { remote.resolution = resolution }
  }
}

extension RemoteDevice {
  var resolution: ServiceResolution {
    get { state.withLock { $0.resolution } }
    set { state.withLock { $0.resolution = newValue } }
  }

  /// `ServicesResolved` is announced now, the services later, if the connection is still up.
  func exportServices(after delay: Duration) {
    let link = state.withLock { state in
      state.links += 1
      return state.links
    }
    mark(Device1.servicesResolved)
    after(delay) { device in
      let isSame = device.state.withLock { $0.links == link && $0.machine.isResolved }
      if isSame { device.exportServices() }
    }
  }
}

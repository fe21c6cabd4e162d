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
    host.loop.enter { [self] in
      for remote in remotes(address) { remote.state.resolution = resolution }
    }
  }
}

extension RemoteDevice {
  /// `ServicesResolved` is announced now, the services later, if the connection is still up.
  func exportServices(after delay: Duration) {
    state.links += 1
    let link = state.links
    mark(Device1.servicesResolved)
    after(delay) { device in
      if device.state.links == link, device.state.machine.isResolved { device.exportServices() }
    }
  }
}

// How the services of a device come to be known: as they should, or not.

import BlueZInterfaces
public import Bluetooth
import Signals
public import SimulatedDevices

extension BlueZSimulator {
  /// Has the services of a device resolved so on its next links.
  ///
  /// Objects that are there from an earlier link stay.
  public func resolve(_ resolution: ServiceResolution, at address: BluetoothAddress) {
    for remote in remotes(address) { remote.resolution = resolution }
  }
}

extension RemoteDevice {
  var resolution: ServiceResolution {
    get { state.withLock { $0.resolution } }
    set { state.withLock { $0.resolution = newValue } }
  }

  /// `ServicesResolved` is told now, the services later, if the link still stands.
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

// Plugging and unplugging of the adapter, and its end with the simulation.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension AdapterServer {
  /// Exports the adapter and its stored devices.
  func add() {
    let listening = host.settings.offersMonitors ? [monitors.interface] : []
    let registering = [applications.interface, advertisements.interface]
    host.server.add([interface] + registering + listening, at: path)
    for device in devices { device.exportIfKept() }
    host.server.flush()
  }

  /// Unplugs the adapter: drops connections, removes the objects of devices, powers the adapter
  /// off, and removes it.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  func unplug() {
    goDark { wasDiscovering in
      if wasDiscovering {
        for device in devices where device.isExported { device.discoveryEnded() }
      }
      for device in devices { device.unplugged() }
    }
    host.server.flush()
    removeObject()
    host.server.flush()
  }

  /// Ends the simulation: drops connections and cancels every timer.
  func stop() {
    goDark { _ in
      for device in devices { device.stop() }
    }
  }

  /// Ends scanning, advertising and connections, and drops the clients' requests.
  private func goDark(_ endDevices: (_ wasDiscovering: Bool) -> Void) {
    monitors.stop()
    advertisements.stop()
    applications.stop()
    local.clear()
    let wasDiscovering = state.isDiscovering
    for report in state.reports.values { report.cancel() }
    state.contents = State(isPowered: false)
    if wasDiscovering { host.observe(.scanning(false)) }
    endDevices(wasDiscovering)
    mark(Adapter1.powered)
    mark(Adapter1.discovering)
  }
}

// The adapter is put in and pulled out, and ends with the simulation.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension AdapterServer {
  /// Puts the adapter and the devices that are kept on the bus.
  func add() {
    let listening = host.settings.offersMonitors ? [monitors.interface] : []
    host.server.add([interface] + listening, at: path)
    for device in devices { device.exportIfKept() }
    host.server.flush()
  }

  /// Pulled out: links fall, the objects of devices go, then the adapter is off and goes too.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  func unplug() {
    goDark { wasDiscovering in
      if wasDiscovering {
        for device in devices where device.isExported { device.unheard() }
      }
      for device in devices { device.unplugged() }
    }
    host.server.flush()
    host.server.remove(path)
    host.server.flush()
  }

  /// The simulation is over: links end, and nothing is due any more.
  func stop() {
    goDark { _ in
      for device in devices { device.stop() }
    }
  }

  /// Nothing is heard, reported or linked any more; what clients had asked for is forgotten.
  private func goDark(_ endDevices: (_ wasDiscovering: Bool) -> Void) {
    monitors.stop()
    let (wasDiscovering, reports) = state.withLock { state in
      defer {
        state = State()
        state.isPowered = false
      }
      return (state.isDiscovering, Array(state.reports.values))
    }
    for report in reports { report.cancel() }
    if wasDiscovering { host.observe(.scanning(false)) }
    endDevices(wasDiscovering)
    mark(Adapter1.powered)
    mark(Adapter1.discovering)
  }
}

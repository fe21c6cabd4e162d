// Faults of the host: its adapters are unplugged and plugged in elsewhere, bluetoothd is killed and
// restarted, calls are delayed.

import BlueZInterfaces
import Bluetooth
public import DBus
import Signals
package import SimulatedDevices

extension BlueZSimulator {
  /// Unplugs an adapter. Does nothing when it is unplugged.
  ///
  /// Connections drop, and pending requests and a pending Connect are never answered; then every
  /// object of the adapter is removed, and calls to them fail with `UnknownObject`.
  ///
  /// - Parameter adapter: The index of the adapter in the settings, from 0.
  public func unplug(adapter: Int = 0) {
    host.loop.enter { [present] in present.contents.unplug(adapter)?.unplug() }
  }

  /// Plugs in an adapter as `hci` and an index, with its own address. Does nothing if it is plugged
  /// in, or bluetoothd has ended.
  ///
  /// Devices that were connected or paired are known again below the new path, but not connected. A
  /// real adapter often returns with another index after a reset of its controller.
  ///
  /// - Parameters:
  /// - number: 0 is `hci0`; nil: the index in its settings. An index in use is skipped.
  ///   - index: The index of the adapter in the settings, from 0.
  public func plugIn(as number: Int? = nil, adapter index: Int = 0) {
    host.loop.enter { [self] in
      guard let place = present.contents.place(for: index, as: number) else { return }
      let adapter = makeAdapter(place.settings, as: place.number)
      present.contents.plugIn(index, adapter, as: place.number)
      adapter.add()
    }
  }

  /// Ends as if killed: the connections to the bus and to devices end without notice. ``stop()``,
  /// or closing the bus connection, is a normal termination.
  public func crash() {
    host.bus.close()
    stop()
  }

  /// Creates the next bluetoothd, to be started after this one has ended. It has the same devices
  /// in range, and the stored data of this one: devices that were connected or paired.
  ///
  /// - Parameter bus: A separate connection.
  public func successor(on bus: MessageBus) -> BlueZSimulator {
    BlueZSimulator(
      bus: bus, devices: devices, settings: settings,
      adapters: host.loop.enter { [present] in present.reopened }, log: log,
      observer: host.observer
    )
  }

  /// Decides how each later call is handled.
  ///
  /// - Parameter treatment: Called on the loop with each call to bluetoothd.
  package func treatCalls(_ treatment: @escaping @Sendable (Message) -> CallTreatment) {
    host.loop.enter { [calls] in calls.treat(treatment) }
  }
}

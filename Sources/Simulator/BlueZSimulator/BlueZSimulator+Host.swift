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
    host.loop.performAndWait { [present] in present.contents.unplug(adapter)?.unplug() }
  }

  /// Plugs in an adapter, with its own address, as `hci` and an index. Does nothing when it is
  /// plugged in, or bluetoothd has ended.
  ///
  /// Devices that were connected or paired before are known again, below the new path; they are not
  /// connected. After a reset of its controller an adapter often returns with another index.
  ///
  /// - Parameters:
  ///   - number: 0 is `hci0`; nil: the index in its settings. One that is in use is skipped.
  ///   - index: The index of the adapter in the settings, from 0.
  public func plugIn(as number: Int? = nil, adapter index: Int = 0) {
    host.loop.performAndWait { [self] in
      guard let place = present.contents.place(for: index, as: number) else { return }
      let adapter = makeAdapter(place.settings, as: place.number)
      present.contents.plugIn(index, adapter, as: place.number)
      adapter.add()
    }
  }

  /// Ends like a bluetoothd that is killed: its connection to the bus and its Bluetooth connections
  /// end without notice. ``stop()`` and the end of the connection are what a bluetoothd that is
  /// terminated does.
  public func crash() {
    host.bus.close()
    stop()
  }

  /// A bluetoothd that is started after this one has ended, with the same devices in range, and
  /// with what this one has stored on disk: devices that were connected or paired.
  ///
  /// - Parameter bus: A separate connection.
  public func successor(on bus: MessageBus) -> BlueZSimulator {
    BlueZSimulator(
      bus: bus, devices: devices, settings: settings,
      adapters: host.loop.performAndWait { [present] in present.reopened }, log: log,
      observer: host.observer
    )
  }

  /// Examines every call from now on before it is handled.
  ///
  /// - Parameter treatment: Called on the loop with each call to bluetoothd.
  package func treatCalls(_ treatment: @escaping @Sendable (Message) -> CallTreatment) {
    host.loop.performAndWait { [calls] in calls.treat(treatment) }
  }
}

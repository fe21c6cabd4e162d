// What can befall the host: its adapters pulled out and put in elsewhere, bluetoothd killed and
// started again, calls that are held up.

import BlueZInterfaces
import Bluetooth
public import DBus
import Signals
public import SimulatedDevices

extension BlueZSimulator {
  /// Pulls an adapter out. Where it is out, nothing happens.
  ///
  /// Links fall, and requests and a Connect under way are never answered; then every object of the
  /// adapter goes, and calls to them meet `UnknownObject`.
  ///
  /// - Parameter adapter: Which of those of the settings, counted from 0.
  public func unplug(adapter: Int = 0) {
    present.withLock { $0.unplug(adapter) }?.unplug()
  }

  /// Puts an adapter in, with its own address, as `hci` and a number. Where it is in, or bluetoothd
  /// has ended, nothing happens.
  ///
  /// Devices that were connected or paired once are known again, below the new path; they are not
  /// connected. After a reset of its controller an adapter often comes back under another number.
  ///
  /// - Parameters:
  ///   - number: 0 is `hci0`; nil: that of its settings. One that is taken is passed over.
  ///   - index: Which adapter of those of the settings, counted from 0.
  public func plugIn(as number: Int? = nil, adapter index: Int = 0) {
    guard let place = present.withLock({ $0.place(for: index, as: number) }) else { return }
    let adapter = makeAdapter(place.settings, as: place.number)
    present.withLock { $0.plugIn(index, adapter, as: place.number) }
    adapter.add()
  }

  /// Dies as a bluetoothd does that is killed: its connection to the bus ends without a word, and
  /// its links with it. ``stop()`` and the connection's end are what a bluetoothd does that is
  /// asked to end.
  public func crash() {
    host.bus.close()
    stop()
  }

  /// A bluetoothd that is started after this one has ended, with the same devices in the air, and
  /// what this one has kept on disk: devices that were connected or paired once.
  ///
  /// - Parameter bus: A connection of its own.
  public func successor(on bus: any MessageBus) -> BlueZSimulator {
    BlueZSimulator(
      bus: bus,
      devices: devices,
      settings: settings,
      adapters: present.withLock { $0.reopened },
      log: log,
      witness: host.witness
    )
  }

  /// Has every call from now on looked at before it is taken up.
  ///
  /// - Parameter treatment: Called on the loop with each call to bluetoothd.
  public func treatCalls(_ treatment: @escaping @Sendable (Message) -> CallTreatment) {
    calls.treat(treatment)
  }
}

// What can befall the host: its adapter pulled out and put in elsewhere, bluetoothd killed and
// started again, calls that are held up.

import BlueZInterfaces
import Bluetooth
public import DBus
import Signals

extension BlueZSimulator {
  /// Pulls the adapter out. Without one, nothing happens.
  ///
  /// Links fall, pending requests fail, a Connect under way is never answered; then every object
  /// of the adapter goes, and calls to them meet `UnknownObject`.
  public func unplug() {
    let pulled = present.withLock { present in
      defer { present.adapter = nil }
      return present.adapter
    }
    guard let pulled else { return }
    present.withLock { $0.keep(pulled) }
    pulled.unplug()
  }

  /// Puts the adapter in, with the same address, as `hci` and a number. Where there is one, or
  /// bluetoothd has ended, nothing happens.
  ///
  /// Devices that were connected or paired once are known again, below the new path; they are not
  /// connected. After a reset of its controller an adapter often comes back under another number.
  public func plugIn(as index: Int = 0) {
    guard present.withLock({ $0.adapter == nil && !$0.isOver }) else { return }
    let taken = present.withLock { $0.further.map(\.path) }
    // A number that another adapter has is passed over.
    let number = (index...).first {
      !taken.contains(BlueZPath.adapter(BlueZPath.adapterName(index: $0)))
    }
    let adapter = makeAdapter(settings.adapters.first ?? AdapterSettings(), as: number ?? index)
    present.withLock { $0.adapter = adapter }
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
      stored: present.withLock { $0.stored },
      log: log,
      observer: host.observe
    )
  }

  /// Has every call from now on looked at before it is taken up.
  ///
  /// - Parameter treatment: Called on the loop with each call to bluetoothd.
  public func treatCalls(_ treatment: @escaping @Sendable (Message) -> CallTreatment) {
    calls.treat(treatment)
  }
}

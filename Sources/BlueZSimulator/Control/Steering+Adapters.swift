// Control of the host's adapters while the simulation runs.

import BlueZInterfaces
public import Bluetooth
import Signals
import SimulatedDevices

extension Steering {
  /// The current state of an adapter.
  public struct Adapter: Hashable, Sendable {
    /// Such as `hci0`; nil while it is unplugged.
    public let interface: String?
    /// The address of the adapter.
    public let address: BluetoothAddress
    /// The name of the adapter, which people see.
    public let name: String
    /// Whether it is powered.
    public let isPowered: Bool
  }

  /// The adapters of the host, in its order.
  ///
  /// ```swift
  /// for adapter in steering.adapters { print(adapter.interface ?? "unplugged", adapter.address) }
  /// ```
  public var adapters: [Adapter] {
    slots.map { slot in
      Adapter(
        interface: slot.server.flatMap { _ in slot.number.map(BlueZPath.adapterName) },
        address: slot.settings.address,
        name: slot.settings.name,
        isPowered: slot.server?.isPowered ?? false
      )
    }
  }

  /// Powers an adapter on or off, as an rfkill switch does.
  ///
  /// ```swift
  /// try steering.setPowered(false, adapter: "hci0")
  /// ```
  ///
  /// - Parameters:
  ///   - isOn: Whether it is powered from now on.
  ///   - adapter: Its interface, such as `hci0`, its name or its address; nil: the first.
  /// - Throws: ``SteeringError/Kind/unknownAdapter``; ``SteeringError/Kind/noAdapter`` while it is
  ///   unplugged.
  public func setPowered(_ isOn: Bool, adapter: String? = nil) throws(SteeringError) {
    try checkAdapter()
    let index = try index(of: adapter)
    guard slots[index].server != nil else { throw Self.noAdapter }
    player.perform(.adapter(index, .power(isOn)))
  }

  /// Unplugs an adapter; does nothing when it is unplugged.
  ///
  /// ```swift
  /// try steering.unplug("hci0")
  /// ```
  public func unplug(_ adapter: String? = nil) throws(SteeringError) {
    player.perform(.adapter(try index(of: adapter), .unplug))
  }

  /// Plugs in an adapter as `hci` and an index; does nothing when it is plugged in.
  ///
  /// ```swift
  /// try steering.plugIn("hci0", as: 1)
  /// ```
  ///
  /// - Parameters:
  ///   - adapter: Its interface, such as `hci0`, its name or its address; nil: the first.
  ///   - number: nil: its own. An index that is in use is skipped.
  public func plugIn(_ adapter: String? = nil, as number: Int? = nil) throws(SteeringError) {
    player.perform(.adapter(try index(of: adapter), .plugIn(number)))
  }

  private var slots: [AdapterSlots.Slot] {
    player.simulator?.present.withLock { $0.slots } ?? []
  }

  private func index(of adapter: String?) throws(SteeringError) -> Int {
    guard let adapter, !adapter.isEmpty else { return 0 }
    let slots = slots
    let found = slots.indices.filter { index in
      let settings = slots[index].settings
      return slots[index].number.map(BlueZPath.adapterName) == adapter || settings.name == adapter
        || BluetoothAddress(adapter) == settings.address
    }
    guard found.count == 1, let index = found.first else {
      let known = slots.map { slot in
        slot.number.map(BlueZPath.adapterName) ?? "\(slot.settings.address)"
      }
      throw SteeringError(
        .unknownAdapter,
        (found.isEmpty ? "unknown" : "ambiguous") + " adapter '\(adapter)'"
          + ": expected one of \(known.joined(separator: ", ")), a name or an address"
      )
    }
    return index
  }
}

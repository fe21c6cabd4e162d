// Controls the host's adapters while the simulation runs.

import BlueZInterfaces
public import Bluetooth
import Signals
public import SimulatedDevices

extension Steering {
  /// The current state of an adapter.
  public struct Adapter: Hashable, Sendable {
    /// Such as `hci0`; nil while it is unplugged.
    public let interface: String?
    /// The address of the adapter.
    public let address: BluetoothAddress
    /// The name of the adapter.
    public let name: String
    /// Whether it is powered.
    public let isPowered: Bool
  }

  /// The adapters of the host, in the order of the settings.
  ///
  /// ```swift
  /// for adapter in steering.adapters { print(adapter.interface ?? "unplugged", adapter.address) }
  /// ```
  public var adapters: [Adapter] {
    slots.map { slot in
      Adapter(
        interface: slot.server.flatMap { _ in slot.number.map(BlueZPath.adapterName) },
        address: slot.settings.address, name: slot.settings.name,
        isPowered: slot.server?.isPowered ?? false
      )
    }
  }

  /// Changes the power of an adapter, or plugs it in or out.
  ///
  /// ```swift
  /// try steering.apply(.power(false), toAdapter: "hci0")
  /// ```
  ///
  /// - Parameters:
  /// - change: The power changes as with an rfkill switch. Unplugging an unplugged adapter, or
  ///   plugging in a plugged one, does nothing; a number in use is skipped.
  ///   - adapter: The adapter's interface, such as `hci0`, its name or its address; nil: the first
  /// adapter.
  /// - Throws: ``SteeringError/Kind/unknownAdapter``; ``SteeringError/Kind/noAdapter`` if the power
  ///   of an unplugged adapter is to change; ``SteeringError/Kind/invalidValue`` for an invalid
  ///   number.
  public func apply(_ change: AdapterChange, toAdapter adapter: String? = nil) throws(SteeringError)
  {
    let index: Int
    switch change {
    case .power:
      try checkAdapter()
      index = try self.index(of: adapter)
      guard slots[index].server != nil else { throw Self.noAdapter }
    case .plugIn(let number?) where !(0...Self.lastNumber).contains(number):
      throw SteeringError(
        .invalidValue,
        "invalid adapter index \(number): expected 0 to \(Self.lastNumber), or -1 for its own"
      )
    case .unplug, .plugIn: index = try self.index(of: adapter)
    }
    player.perform(.adapter(index, change))
  }

  /// The kernel numbers adapters in 16 bits.
  private static let lastNumber = 65_535

  private var slots: [AdapterSlots.Slot] {
    player.simulator?.present.slots ?? []
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

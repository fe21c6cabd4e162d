// The settings of an adapter.

public import Bluetooth

/// One adapter of the simulated host.
public struct AdapterSettings: Hashable, Sendable {
  /// Its initial index: 0 is `hci0`.
  public var number: Int
  /// Its own address.
  public var address: BluetoothAddress
  /// Its name, and its alias until another one is set.
  public var name: String
  /// Whether it is on when it is plugged in.
  public var isPowered: Bool
  /// The device that a program on it is for other adapters: its link, its pairing and its faults
  /// count.
  public var peripheral = DeviceDefinition(address: BluetoothAddress(number: 0))
  /// The seed of that device's randomness: drawn from that of the scenario or the world.
  package var seed: UInt64 = 0

  /// An adapter; see the properties.
  ///
  /// - Parameter address: nil: one that goes with its number.
  public init(
    number: Int = 0, address: BluetoothAddress? = nil, name: String = "simulated",
    isPowered: Bool = true
  ) {
    self.number = number
    self.address = address ?? BluetoothAddress(number: 0x0000_5e00_5300 + UInt64(clamping: number))
    self.name = name
    self.isPowered = isPowered
  }
}

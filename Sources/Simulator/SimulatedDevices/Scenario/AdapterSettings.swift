// The settings of an adapter.

public import Bluetooth

/// One adapter of the simulated host.
public struct AdapterSettings: Hashable, Sendable {
  /// The initial index: 0 is `hci0`.
  public var number: Int
  public var address: BluetoothAddress
  /// The name, and the alias until another one is set.
  public var name: String
  /// Whether it is powered when it is plugged in.
  public var isPowered: Bool
  /// The device that the adapter is for others, when a program uses it as a peripheral. Only its
  /// link, pairing and faults matter.
  public var peripheral = DeviceDefinition(address: BluetoothAddress(number: 0))
  /// The seed of that device, derived from the seed of the scenario or world.
  package var seed: UInt64 = 0

  /// Creates an adapter; see the properties.
  ///
  /// - Parameter address: nil: an address derived from the number.
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

// Addresses that hide a device's identity.

public import Bluetooth
public import Signals

/// How a device changes the address that it is seen under.
public struct PrivateAddress: Sendable, Hashable {
  /// Who can resolve the address to the device.
  public enum Kind: String, CaseIterable, Sendable, Hashable {
    /// Those who are paired with it.
    case resolvable
    /// Nobody.
    case nonResolvable = "non-resolvable"

    /// The two highest bits of such an address.
    ///
    /// - Source: Bluetooth Core 5.4, Vol 6, Part B §1.3.2.2.
    var highestBits: UInt64 { self == .resolvable ? 0b01 : 0b00 }
  }

  /// Who can resolve the addresses.
  public var kind: Kind
  /// How long each address lasts.
  public var every: Duration

  /// Addresses that change at this interval.
  public init(_ kind: Kind = .resolvable, every: Duration) {
    self.kind = kind
    self.every = every
  }

  /// The address of a period, counted from 0.
  ///
  /// - Parameters:
  ///   - period: The index of the period, from 0.
  ///   - generator: The device's own.
  public func address(period: Int, generator: SeededGenerator) -> BluetoothAddress {
    var generator = generator.split("address \(period)")
    let bits = UInt64.random(in: 1..<(1 << 46), using: &generator)
    return BluetoothAddress(number: kind.highestBits << 46 | bits)
  }
}

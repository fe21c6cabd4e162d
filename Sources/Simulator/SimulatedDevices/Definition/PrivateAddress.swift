// Private addresses, which hide the identity of a device.

public import Bluetooth
public import Signals

/// The changing address of a device.
public struct PrivateAddress: Sendable, Hashable {
  /// The kind of private address.
  public enum Kind: String, CaseIterable, Sendable, Hashable {
    /// Bonded hosts can resolve it.
    case resolvable
    /// No host can resolve it.
    case nonResolvable = "non-resolvable"

    /// The two highest bits of an address of this kind.
    ///
    /// - Source: Bluetooth Core 5.4, Vol 6, Part B §1.3.2.2.
    var highestBits: UInt64 { self == .resolvable ? 0b01 : 0b00 }
  }

  /// The kind of the addresses.
  public var kind: Kind
  /// The lifetime of each address.
  public var every: Duration

  /// Creates addresses that change at this interval.
  public init(_ kind: Kind = .resolvable, every: Duration) {
    self.kind = kind
    self.every = every
  }

  /// The address of a period, counted from 0.
  ///
  /// - Parameters:
  ///   - period: The index of the period, from 0.
  /// - generator: The device's own generator.
  public func address(period: Int, generator: SeededGenerator) -> BluetoothAddress {
    var generator = generator.split("address \(period)")
    let bits = UInt64.random(in: 1..<(1 << 46), using: &generator)
    return BluetoothAddress(number: kind.highestBits << 46 | bits)
  }
}

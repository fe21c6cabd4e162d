// A write as a chain says it: what, where, how.

public import Bluetooth

/// A value and where it is written to.
public struct Write: Hashable, Sendable {
  /// The way of the value to bluetoothd.
  public enum Delivery: String, Hashable, Sendable, CaseIterable {
    /// As a call of the bus, `WriteValue`.
    case call
    /// As a command through a socket of this program's own, after `AcquireWrite`, which is given
    /// back when bluetoothd has taken it. Nobody else may write there meanwhile.
    case acquire
  }

  public var target: CharacteristicSelector
  public var value: WrittenValue
  public var kind: WriteKind
  /// The first octet of the attribute's value that is written.
  public var offset: Int
  public var delivery: Delivery

  public init(
    _ value: WrittenValue,
    to target: CharacteristicSelector,
    kind: WriteKind = .automatic,
    offset: Int = 0,
    delivery: Delivery = .call
  ) {
    self.target = target
    self.value = value
    self.kind = kind
    self.offset = offset
    self.delivery = delivery
  }
}

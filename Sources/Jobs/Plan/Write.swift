// A write in a chain: what, where, how.

public import Bluetooth

/// A value and the characteristic that it is written to.
public struct Write: Hashable, Sendable {
  /// How the value reaches bluetoothd.
  public enum Delivery: String, Hashable, Sendable, CaseIterable {
    /// By a D-Bus call, `WriteValue`.
    case call
    /// As a Write Command through the socket of `AcquireWrite`, which is closed when bluetoothd has
    /// read the value. No other program can write the characteristic meanwhile.
    case acquire
  }

  /// The characteristic that is written.
  public var target: CharacteristicSelector
  /// What is written, with its captured values.
  public var value: WrittenValue
  /// Whether the device responds.
  public var kind: WriteKind
  /// The offset in the attribute's value, in octets.
  public var offset: Int
  /// How the value reaches bluetoothd.
  public var delivery: Delivery

  /// A write of one value.
  ///
  /// ```swift
  /// let value = try WrittenValue([.init(ValueFormat("u8")!, "2")])
  /// let alarm = Step(.write(Write(value, to: "alert-level", kind: .command)))
  /// ```
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

// What happens in a simulated world, as its faults see it.

public import Bluetooth

/// Something that happened between the host and a device.
public struct WorldEvent: Sendable, Hashable {
  public enum Kind: String, CaseIterable, Sendable, Hashable {
    case connected, disconnected, read, written, subscribed, unsubscribed, notified, paired
    /// The adapter begins to scan.
    case scanning
    /// It does not scan any more.
    case scanned

    /// Whether it is about a characteristic.
    public var hasCharacteristic: Bool {
      [.read, .written, .subscribed, .unsubscribed, .notified].contains(self)
    }
  }

  public var kind: Kind
  /// The device's own address; nil: it is about no device.
  public var device: BluetoothAddress?
  public var characteristic: BluetoothUUID?
  /// The handle of the characteristic's value: which it is of several.
  public var handle: UInt16?

  public init(
    _ kind: Kind,
    device: BluetoothAddress? = nil,
    characteristic: BluetoothUUID? = nil,
    handle: UInt16? = nil
  ) {
    self.kind = kind
    self.device = device
    self.characteristic = characteristic
    self.handle = handle
  }

  /// A characteristic of a device.
  public struct Place: Sendable, Hashable {
    public let device: BluetoothAddress
    /// Of its value.
    public let handle: UInt16

    public init(device: BluetoothAddress, handle: UInt16) {
      self.device = device
      self.handle = handle
    }
  }

  /// Which events are meant.
  public struct Pattern: Sendable, Hashable {
    public var kind: Kind
    /// Those of these devices; empty: of all.
    public var devices: [BluetoothAddress]
    public var characteristic: BluetoothUUID?
    /// Those of these characteristics alone; nil: of all that ``characteristic`` is about.
    public var places: [Place]?

    public init(
      _ kind: Kind,
      devices: [BluetoothAddress] = [],
      characteristic: BluetoothUUID? = nil,
      places: [Place]? = nil
    ) {
      self.kind = kind
      self.devices = devices
      self.characteristic = characteristic
      self.places = places
    }

    public func matches(_ event: WorldEvent) -> Bool {
      guard event.kind == kind else { return false }
      if let device = event.device, !devices.isEmpty, !devices.contains(device) { return false }
      if let places {
        return places.contains { $0.device == event.device && $0.handle == event.handle }
      }
      return characteristic == nil || characteristic == event.characteristic
    }
  }
}

// What happens in a simulated world, as its faults see it.

public import Bluetooth

/// Something that happened between the host and a device.
public struct WorldEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, CaseIterable, Sendable, Hashable {
    /// A device connected.
    case connected
    /// A connection ended.
    case disconnected
    /// A characteristic was read.
    case read
    /// A characteristic was written.
    case written
    /// Notifications or indications were enabled.
    case subscribed
    /// They were disabled.
    case unsubscribed
    /// A device sent a notification or an indication.
    case notified
    /// A device was paired.
    case paired
    /// The adapter begins to scan.
    case scanning
    /// It does not scan any more.
    case scanned

    /// Whether it is about a characteristic.
    public var hasCharacteristic: Bool {
      [.read, .written, .subscribed, .unsubscribed, .notified].contains(self)
    }
  }

  /// What happened.
  public var kind: Kind
  /// The device's own address; nil: it is about no device.
  public var device: BluetoothAddress?
  /// The characteristic that it is about, if it is about one.
  public var characteristic: BluetoothUUID?
  /// The handle of the characteristic's value: which it is of several.
  public var handle: UInt16?

  /// An event; see the properties.
  public init(
    _ kind: Kind, device: BluetoothAddress? = nil, characteristic: BluetoothUUID? = nil,
    handle: UInt16? = nil
  ) {
    self.kind = kind
    self.device = device
    self.characteristic = characteristic
    self.handle = handle
  }

  /// A characteristic of a device.
  struct Place: Sendable, Hashable {
    let device: BluetoothAddress
    /// Of its value.
    let handle: UInt16
  }

  /// Which events are meant.
  public struct Pattern: Sendable, Hashable {
    /// What has happened.
    public var kind: Kind
    /// Those of these devices; empty: of all.
    public var devices: [BluetoothAddress]
    /// Those about this characteristic; nil: about any.
    public var characteristic: BluetoothUUID?
    /// Those of these characteristics alone; nil: of all that ``characteristic`` is about.
    var places: [Place]?

    /// Events of a kind; see the properties.
    public init(
      _ kind: Kind, devices: [BluetoothAddress] = [], characteristic: BluetoothUUID? = nil
    ) {
      self.kind = kind
      self.devices = devices
      self.characteristic = characteristic
    }

    /// Whether the event is one of those that are meant.
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

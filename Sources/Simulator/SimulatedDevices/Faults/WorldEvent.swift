// The events that trigger faults of a simulated world.

public import Bluetooth

/// An event between the host and a device.
public struct WorldEvent: Sendable, Hashable {
  /// The kind of an event.
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
    /// Notifications or indications were disabled.
    case unsubscribed
    /// A device sent a notification or an indication.
    case notified
    /// A device was paired.
    case paired
    /// A device sent a Security Request.
    case securityRequested = "security-requested"
    /// The adapter started scanning.
    case scanning
    /// The adapter stopped scanning.
    case scanned

    /// True if the event concerns a characteristic.
    public var hasCharacteristic: Bool {
      [.read, .written, .subscribed, .unsubscribed, .notified].contains(self)
    }
  }

  public var kind: Kind
  /// The identity address of the device; nil: the event concerns none.
  public var device: BluetoothAddress?
  /// The characteristic of the event; nil: it concerns none.
  public var characteristic: BluetoothUUID?
  /// The handle of the characteristic's value, which distinguishes characteristics of one UUID.
  public var handle: UInt16?

  /// Creates an event; see the properties.
  public init(
    _ kind: Kind, device: BluetoothAddress? = nil, characteristic: BluetoothUUID? = nil,
    handle: UInt16? = nil
  ) {
    self.kind = kind
    self.device = device
    self.characteristic = characteristic
    self.handle = handle
  }

  /// A characteristic of a certain device.
  struct Place: Sendable, Hashable {
    let device: BluetoothAddress
    /// The handle of the value.
    let handle: UInt16
  }

  /// A condition on events.
  public struct Pattern: Sendable, Hashable {
    /// The kind of event.
    public var kind: Kind
    /// The devices; empty: any.
    public var devices: [BluetoothAddress]
    /// The characteristic; nil: any.
    public var characteristic: BluetoothUUID?
    /// Certain characteristics with the UUID ``characteristic``; nil: all.
    var places: [Place]?

    /// Creates a pattern; see the properties.
    public init(
      _ kind: Kind, devices: [BluetoothAddress] = [], characteristic: BluetoothUUID? = nil
    ) {
      self.kind = kind
      self.devices = devices
      self.characteristic = characteristic
    }

    /// True if the event fits.
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

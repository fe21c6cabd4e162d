// One entry in the simulator's log of calls and events.

public import Bluetooth

/// A call of a client, or an event at a device.
///
/// A call is named by interface and member: `Device1.Connect`, `GattCharacteristic1.WriteValue`,
/// `Adapter1.Powered=false`. An event at a device has no client, and one of the names in
/// ``BoundaryEntry/Event``.
public struct BoundaryEntry: Hashable, Sendable, CustomStringConvertible {
  /// The names of events.
  public enum Event {
    /// A device connected.
    public static let linkUp = "link-up"
    /// A connection ended.
    public static let linkDown = "link-down"
    /// A device answered a read.
    public static let read = "read"
    /// A device received a write.
    public static let written = "written"
    /// A device's notifications or indications were enabled.
    public static let subscribed = "subscribed"
    /// Notifications or indications of a device were disabled.
    public static let unsubscribed = "unsubscribed"
    /// A device sent a notification or an indication.
    public static let notified = "notified"
    /// Followed by the security of the connection: `paired-encrypted`.
    public static let paired = "paired"
    /// An adapter began to scan.
    public static let scanOn = "scan-on"
    /// An adapter stopped scanning.
    public static let scanOff = "scan-off"
    /// A client that has called before left the bus.
    public static let left = "left"
  }

  /// Increases from 1 without gaps.
  public let number: UInt64
  /// The time since the start of the simulation's loop.
  public let time: Duration
  /// The unique bus name of the client, such as `:1.7`; empty for an event at a device.
  public let client: String
  /// The name of the call, or of the event.
  public let event: String
  /// The address of the device; nil for calls and events without one.
  public let device: BluetoothAddress?
  /// The characteristic, descriptor or service concerned.
  public let attribute: BluetoothUUID?
  /// The value that was written or notified.
  public let octets: [UInt8]

  /// `:1.7 GattCharacteristic1.WriteValue C0:FF:EE:00:00:01 2a06 01`
  public var description: String {
    let parts = [
      client, event, device.map { "\($0)" } ?? "", attribute.map { "\($0)" } ?? "",
      "\(DecodedValue.octets(octets))",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

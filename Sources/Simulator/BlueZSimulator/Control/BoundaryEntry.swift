// One entry in the log of the boundary between clients and devices.

public import Bluetooth

/// An action of a client, or an event at a device.
///
/// An action of a client has its name, and the interface and the member that it called:
/// `Device1.Connect`, `GattCharacteristic1.WriteValue`, `Adapter1.Powered=false`. An event at a
/// device has no client and one of the words of ``BoundaryEntry/Event``.
public struct BoundaryEntry: Hashable, Sendable, CustomStringConvertible {
  /// The words for events at devices.
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
    /// They were disabled.
    public static let unsubscribed = "unsubscribed"
    /// A device sent a notification or an indication.
    public static let notified = "notified"
    /// Followed by the security of the connection: `paired-encrypted`.
    public static let paired = "paired"
    /// An adapter began to scan.
    public static let scanOn = "scan-on"
    /// An adapter stopped scanning.
    public static let scanOff = "scan-off"
    /// A client that has called before has left the bus.
    public static let left = "left"
  }

  /// Increases from 1 without gaps.
  public let number: UInt64
  /// Since the start of the loop that the simulation runs on.
  public let time: Duration
  /// The unique bus name of the client, such as `:1.7`; empty for an event at a device.
  public let client: String
  /// What happened: the name of a call, or of an event at a device.
  public let event: String
  /// The address of the device; nil where there is none.
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

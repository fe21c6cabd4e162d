// org.bluez.GattService1, GattCharacteristic1, GattDescriptor1: the attributes of a remote device.

public import Bluetooth
public import DBus

/// `org.bluez.GattService1`, which has properties only.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-client.c`.
public enum GattService1 {
  /// The interface.
  public static let interface = "org.bluez.GattService1"

  public static let declaration = InterfaceDeclaration(
    interface,
    properties: [uuid, device, primary, includes]
  )

  public static let uuid = Property("UUID", .uuid, of: interface)
  public static let device = Property("Device", .objectPath, of: interface)
  public static let primary = Property("Primary", .boolean, of: interface)
  /// May be empty.
  public static let includes = Property("Includes", .objectPaths, of: interface)
}

/// `org.bluez.GattCharacteristic1`.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-client.c`.
public enum GattCharacteristic1 {
  /// The interface.
  public static let interface = "org.bluez.GattCharacteristic1"

  public static let declaration = InterfaceDeclaration(
    interface,
    methods: [readValue, writeValue, acquireWrite, acquireNotify, startNotify, stopNotify],
    properties: [uuid, service, value, notifying, flags, writeAcquired, notifyAcquired, mtu]
  )

  // MARK: Methods

  /// Options in ``Option``. Signals `Value` before it replies.
  public static let readValue = Method(
    "ReadValue",
    of: interface,
    takes: .one("options", .properties),
    returns: .one("value", .bytes)
  )
  /// Options in ``Option``. Sends no signal.
  public static let writeValue = Method(
    "WriteValue",
    of: interface,
    takes: .two(("value", .bytes), ("options", .properties))
  )
  /// Signals `Notifying` before it replies.
  public static let startNotify = Method("StartNotify", of: interface)
  public static let stopNotify = Method("StopNotify", of: interface)
  /// Returns a sequenced-packet socket and the ATT MTU.
  public static let acquireWrite = Method(
    "AcquireWrite",
    of: interface,
    takes: .one("options", .properties),
    returns: .two(("fd", .fileDescriptor), ("mtu", .uint16))
  )
  /// Returns a sequenced-packet socket and the ATT MTU.
  public static let acquireNotify = Method(
    "AcquireNotify",
    of: interface,
    takes: .one("options", .properties),
    returns: .two(("fd", .fileDescriptor), ("mtu", .uint16))
  )

  // MARK: Properties

  public static let uuid = Property("UUID", .uuid, of: interface)
  public static let service = Property("Service", .objectPath, of: interface)
  /// The last value read or notified; each notification sends one change signal.
  public static let value = Property("Value", .bytes, of: interface)
  /// Does not change when the connection drops.
  public static let notifying = Property(
    "Notifying",
    .boolean,
    of: interface,
    presence: .having([.notify, .indicate])
  )
  public static let flags = Property("Flags", .flags, of: interface)
  public static let writeAcquired = Property(
    "WriteAcquired",
    .boolean,
    of: interface,
    presence: .having(.writeWithoutResponse)
  )
  public static let notifyAcquired = Property(
    "NotifyAcquired",
    .boolean,
    of: interface,
    presence: .having(.notify)
  )
  /// In octets; since 5.62.
  public static let mtu = Property("MTU", .uint16, of: interface, presence: .connected)

  /// Keys of the option dictionaries.
  public enum Option {
    /// `q`
    public static let offset = "offset"
    /// `s`, one of ``WriteType``; for writes.
    public static let type = "type"
  }

  /// Values of ``Option/type``.
  public enum WriteType {
    public static let command = "command"
    public static let request = "request"
    public static let reliable = "reliable"
  }

  /// The longest value that can be written, in octets.
  public static let longestValue = 512
}

/// `org.bluez.GattDescriptor1`.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-client.c`.
public enum GattDescriptor1 {
  /// The interface.
  public static let interface = "org.bluez.GattDescriptor1"

  public static let declaration = InterfaceDeclaration(
    interface,
    methods: [readValue, writeValue],
    properties: [uuid, characteristic, value]
  )

  public static let readValue = Method(
    "ReadValue",
    of: interface,
    takes: .one("options", .properties),
    returns: .one("value", .bytes)
  )
  /// Not permitted for the Client Characteristic Configuration descriptor.
  public static let writeValue = Method(
    "WriteValue",
    of: interface,
    takes: .two(("value", .bytes), ("options", .properties))
  )

  public static let uuid = Property("UUID", .uuid, of: interface)
  public static let characteristic = Property("Characteristic", .objectPath, of: interface)
  /// The last value read.
  public static let value = Property("Value", .bytes, of: interface)
}

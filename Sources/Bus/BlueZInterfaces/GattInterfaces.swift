// org.bluez.GattService1, GattCharacteristic1, GattDescriptor1: the attributes of a remote device.

package import Bluetooth
package import DBus

/// `org.bluez.GattService1`, which has properties only.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-client.c`.
package enum GattService1 {
  /// The interface.
  package static let interface = "org.bluez.GattService1"

  package static let declaration = InterfaceDeclaration(
    interface, properties: [handle, uuid, device, primary, includes]
  )

  package static let handle = Property("Handle", .uint16, of: interface, since: .handles)
  package static let uuid = Property("UUID", .uuid, of: interface)
  package static let device = Property("Device", .objectPath, of: interface)
  package static let primary = Property("Primary", .boolean, of: interface)
  /// May be empty.
  package static let includes = Property("Includes", .objectPaths, of: interface)
}

/// `org.bluez.GattCharacteristic1`.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-client.c`.
package enum GattCharacteristic1 {
  /// The interface.
  package static let interface = "org.bluez.GattCharacteristic1"

  package static let declaration = InterfaceDeclaration(
    interface,
    methods: [readValue, writeValue, acquireWrite, acquireNotify, startNotify, stopNotify],
    properties: [
      handle, uuid, service, value, notifying, flags, writeAcquired, notifyAcquired, mtu,
    ]
  )

  // MARK: Methods

  /// Options in ``Option``. Signals `Value` before it replies.
  package static let readValue = Method(
    "ReadValue",
    of: interface,
    takes: .list(("options", .properties)),
    returns: .list(("value", .bytes))
  )
  /// Options in ``Option``. Sends no signal.
  package static let writeValue = Method(
    "WriteValue",
    of: interface,
    takes: .list(("value", .bytes), ("options", .properties))
  )
  /// Signals `Notifying` before it replies.
  package static let startNotify = Method("StartNotify", of: interface)
  package static let stopNotify = Method("StopNotify", of: interface)
  /// Returns a sequenced-packet socket and the ATT MTU.
  package static let acquireWrite = Method(
    "AcquireWrite", of: interface, takes: .list(("options", .properties)),
    returns: .list(("fd", .fileDescriptor), ("mtu", .uint16))
  )
  /// Returns a sequenced-packet socket and the ATT MTU.
  package static let acquireNotify = Method(
    "AcquireNotify", of: interface, takes: .list(("options", .properties)),
    returns: .list(("fd", .fileDescriptor), ("mtu", .uint16))
  )

  // MARK: Properties

  /// The handle of the declaration, not of the value.
  package static let handle = Property("Handle", .uint16, of: interface, since: .handles)
  package static let uuid = Property("UUID", .uuid, of: interface)
  package static let service = Property("Service", .objectPath, of: interface)
  /// The last value read or notified; each notification sends one change signal.
  package static let value = Property("Value", .bytes, of: interface)
  /// Does not change when the connection drops.
  package static let notifying = Property(
    "Notifying", .boolean, of: interface, presence: .having([.notify, .indicate])
  )
  package static let flags = Property("Flags", .flags, of: interface)
  package static let writeAcquired = Property(
    "WriteAcquired", .boolean, of: interface, presence: .having(.writeWithoutResponse)
  )
  package static let notifyAcquired = Property(
    "NotifyAcquired", .boolean, of: interface, presence: .having(.notify)
  )
  /// The MTU in octets; since 5.62.
  package static let mtu = Property("MTU", .uint16, of: interface, presence: .connected)

  /// Keys of the option dictionaries.
  package enum Option {
    /// `q`
    package static let offset = "offset"
    /// `s`, one of ``WriteType``; for writes.
    package static let type = "type"
  }

  /// Values of ``Option/type``.
  package enum WriteType {
    package static let command = "command"
    package static let request = "request"
    package static let reliable = "reliable"
  }

  /// The longest value that can be written, in octets.
  package static let longestValue = 512
}

/// `org.bluez.GattDescriptor1`.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-client.c`.
package enum GattDescriptor1 {
  /// The interface.
  package static let interface = "org.bluez.GattDescriptor1"

  package static let declaration = InterfaceDeclaration(
    interface, methods: [readValue, writeValue],
    properties: [handle, uuid, characteristic, value]
  )

  package static let readValue = Method(
    "ReadValue", of: interface, takes: .list(("options", .properties)),
    returns: .list(("value", .bytes))
  )
  /// Not permitted for the Client Characteristic Configuration descriptor.
  package static let writeValue = Method(
    "WriteValue", of: interface, takes: .list(("value", .bytes), ("options", .properties))
  )

  package static let handle = Property("Handle", .uint16, of: interface, since: .handles)
  package static let uuid = Property("UUID", .uuid, of: interface)
  package static let characteristic = Property("Characteristic", .objectPath, of: interface)
  /// The last value read.
  package static let value = Property("Value", .bytes, of: interface)
}

// org.bluez.GattService1, GattCharacteristic1, GattDescriptor1: the attributes of a remote device.

/// Names of `org.bluez.GattService1`, which has properties only.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-client.c`.
public enum GattService1 {
  /// The interface.
  public static let interface = "org.bluez.GattService1"

  /// Properties.
  public enum Property {
    /// `s`, read.
    public static let uuid = "UUID"
    /// `o`, read.
    public static let device = "Device"
    /// `b`, read.
    public static let primary = "Primary"
    /// `ao`, read, may be empty.
    public static let includes = "Includes"
    /// `q`, read; since 5.69.
    public static let handle = "Handle"
  }
}

/// Names of `org.bluez.GattCharacteristic1`.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-client.c`.
public enum GattCharacteristic1 {
  /// The interface.
  public static let interface = "org.bluez.GattCharacteristic1"

  /// Methods.
  public enum Method {
    /// `(a{sv}) -> ay`, options in ``Option``. Signals `Value` before it replies.
    public static let readValue = "ReadValue"
    /// `(ay, a{sv})`, options in ``Option``. Signals nothing.
    public static let writeValue = "WriteValue"
    /// `()`. Signals `Notifying` before it replies.
    public static let startNotify = "StartNotify"
    /// `()`
    public static let stopNotify = "StopNotify"
    /// `(a{sv}) -> (h, q)`: a sequenced-packet socket and the ATT MTU.
    public static let acquireWrite = "AcquireWrite"
    /// `(a{sv}) -> (h, q)`: a sequenced-packet socket and the ATT MTU.
    public static let acquireNotify = "AcquireNotify"
  }

  /// Properties.
  public enum Property {
    /// `s`, read.
    public static let uuid = "UUID"
    /// `o`, read.
    public static let service = "Service"
    /// `ay`, read: the last value read or notified; one change signal for each notification.
    public static let value = "Value"
    /// `b`, read, with notify or indicate. It does not change when the link ends.
    public static let notifying = "Notifying"
    /// `as`, read.
    public static let flags = "Flags"
    /// `b`, read, with write-without-response.
    public static let writeAcquired = "WriteAcquired"
    /// `b`, read, with notify.
    public static let notifyAcquired = "NotifyAcquired"
    /// `q`, octets, read, while connected; since 5.62.
    public static let mtu = "MTU"
    /// `q`, read; since 5.69.
    public static let handle = "Handle"
  }

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

  /// The longest value a write may have, in octets.
  public static let longestValue = 512
}

/// Names of `org.bluez.GattDescriptor1`.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-client.c`.
public enum GattDescriptor1 {
  /// The interface.
  public static let interface = "org.bluez.GattDescriptor1"

  /// Methods.
  public enum Method {
    /// `(a{sv}) -> ay`
    public static let readValue = "ReadValue"
    /// `(ay, a{sv})`; refused for the client characteristic configuration.
    public static let writeValue = "WriteValue"
  }

  /// Properties.
  public enum Property {
    /// `s`, read.
    public static let uuid = "UUID"
    /// `o`, read.
    public static let characteristic = "Characteristic"
    /// `ay`, read: the last value read.
    public static let value = "Value"
    /// `q`, read; since 5.69.
    public static let handle = "Handle"
  }
}

// The port to the attributes of one device: what GATT offers beyond a plain read and write.

public import Signals

/// Operations on the attributes of a connected device.
///
/// All are lazy, and fail with ``DeviceFailure``: what holds for all of them is said at
/// ``DeviceService``. Without a link they fail with `not-connected`; none of them makes one.
public protocol DeviceAttributes: Sendable {
  /// Sends the ATT MTU of the link, in octets, once.
  ///
  /// bluetoothd exchanges it by itself as the link is made and cannot be asked for another: there
  /// is no call for that. While it still is the 23 octets that every link begins with, the
  /// exchange is given a moment.
  ///
  /// A command, a notification or an indication carries at most three octets less.
  ///
  /// - Returns: Fails with `not-connected`; with `not-supported` where bluetoothd does not tell it
  ///   (before 5.62, or when it exports no characteristic of the device).
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (MTU).
  func mtu() -> Signal<Int>

  /// Sends the timing that was last agreed on for the link, once.
  ///
  /// - Returns: Fails with `timing-unknown` where nobody has listened as it was agreed on.
  func connectionParameters() -> Signal<ConnectionParameters>

  /// Sends the value from an octet on, once.
  ///
  /// - Parameter offset: The first octet that is wanted; the length of the value gives none.
  /// - Returns: Fails with `invalid-value` for an offset beyond the end of the value.
  func read(_ characteristic: CharacteristicSelector, offset: Int) -> Signal<[UInt8]>

  /// Writes from an octet on and completes; sends one empty value. What stands before it stays;
  /// what becomes of the octets behind what is written is the device's to decide.
  ///
  /// It goes as a long write (prepared, then executed), which not every device has.
  ///
  /// - Parameters:
  ///   - kind: Not `command`, which carries no offset; `automatic` is a request here.
  ///   - offset: The first octet that is written; the length of the value appends.
  /// - Returns: Fails with `invalid-value` for an offset beyond the end of the value, and with
  ///   `not-supported` for a command, or where the device has no long writes.
  /// - Source: BlueZ, `src/gatt-client.c` (characteristic_write_value); Bluetooth Core 5.4, Vol 3,
  ///   Part F §3.4.6.
  func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind,
    offset: Int
  ) -> Signal<Void>

  /// Sends the value of a descriptor, once: at most 512 octets.
  ///
  /// - Returns: Fails as ``DeviceService/read(_:)`` does; with `descriptor-missing` where the
  ///   characteristic has none of that kind.
  /// - Source: BlueZ, `doc/org.bluez.GattDescriptor.rst` (ReadValue).
  func readDescriptor(_ descriptor: DescriptorSelector) -> Signal<[UInt8]>

  /// Writes a descriptor with a request; sends one empty value.
  ///
  /// The Client Characteristic Configuration is refused with the advice to subscribe: bluetoothd
  /// writes it itself.
  ///
  /// - Parameter value: At most 512 octets.
  /// - Returns: Fails as ``DeviceService/write(_:to:kind:)`` does, and is as little to be repeated
  ///   blindly.
  /// - Source: BlueZ, `doc/org.bluez.GattDescriptor.rst` (WriteValue), `src/gatt-client.c`.
  func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) -> Signal<Void>

  /// Sends a stream that is subscribed already and buffered, once.
  ///
  /// Subscribers of one characteristic in this program share one subscription; the first of them
  /// decides how it is delivered.
  ///
  /// - Parameter options: How it is delivered, how many values wait at most and what becomes of one
  ///   more, and whether a loss of the link ends the stream or leaves a gap in it.
  /// - Returns: Fails as ``DeviceService/notifications(_:)`` does.
  func subscribe(
    _ characteristic: CharacteristicSelector,
    _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>>

  /// Sends a writer of commands with the characteristic to itself, once; it is given back when the
  /// signal ends.
  ///
  /// - Returns: Fails with `not-supported` where writes without response are not offered, and with
  ///   `busy` while another program has acquired the characteristic.
  func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter>
}

/// Sends commands, writes without response, in a stream.
public protocol CommandWriter: Sendable {
  /// The ATT MTU of the link, in octets.
  var mtu: Int { get }

  /// The longest value of one command, in octets: three less than the MTU, at most 512.
  var longestValue: Int { get }

  /// Sends one command. Waits while the way to bluetoothd is full.
  ///
  /// It returns when bluetoothd has been given the value; whether the device has got it is not
  /// known, as with every command.
  ///
  /// - Throws: ``DeviceFailure``: `invalid-value` for one that is too long, `link-lost` when the
  ///   link fell or bluetoothd took the writer back. What ends a wait.
  func write(_ value: [UInt8]) async throws
}

// The port to the attributes of one device: what GATT offers beyond a plain read and write.

public import Signals

/// Operations on the attributes of a connected device.
///
/// All are lazy, and fail with ``DeviceFailure``; ``DeviceService`` describes what they share.
/// Without a connection they fail with `not-connected`; none of them connects.
public protocol DeviceAttributes: Sendable {
  /// Sends the ATT MTU of the connection, in octets, once.
  ///
  /// bluetoothd exchanges it by itself when it connects, and has no call to request another. While
  /// the MTU is still the initial 23 octets, the exchange is given a moment.
  ///
  /// A command, a notification or an indication carries at most three octets less.
  ///
  /// ```swift
  /// let longest = thermometer.session { thermometer.mtu() }.map { $0 - 3 }
  /// ```
  ///
  /// - Returns: Fails with `not-connected`; with `not-supported` when bluetoothd does not report it
  ///   (before 5.62, or when it exports no characteristic of the device).
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (MTU).
  func mtu() -> Signal<Int>

  /// Sends the current connection parameters, once.
  ///
  /// bluetoothd does not report them: they need a ``LinkMeter`` that observed the connection.
  ///
  /// ```swift
  /// let interval = thermometer.session { thermometer.connectionParameters() }.map(\.interval)
  /// ```
  ///
  /// - Returns: Fails with `timing-unknown` when nobody observed them.
  func connectionParameters() -> Signal<ConnectionParameters>

  /// Sends the value from an offset, once.
  ///
  /// ```swift
  /// let rest = thermometer.session { thermometer.read("firmware-revision-string", offset: 4) }
  /// ```
  ///
  /// - Parameters:
  ///   - characteristic: The characteristic.
  ///   - offset: The first octet to read; the length of the value gives none.
  /// - Returns: Fails with `invalid-value` for an offset beyond the end of the value.
  func read(_ characteristic: CharacteristicSelector, offset: Int) -> Signal<[UInt8]>

  /// Writes from an offset and completes; sends one empty value. The octets before the offset stay;
  /// the device decides what becomes of the octets behind the written ones.
  ///
  /// It is sent as a long write (Prepare Write and Execute Write), which not every device supports.
  ///
  /// ```swift
  /// let renamed = keyRing.session {
  ///   keyRing.write([0x2a], to: "device-name", kind: .request, offset: 3)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - value: What is written, in bytes.
  ///   - characteristic: The characteristic.
  ///   - kind: Not `command`, which carries no offset; `automatic` is a request here.
  ///   - offset: The first octet to write; the length of the value appends.
  /// - Returns: Fails with `invalid-value` for an offset beyond the end of the value, and with
  ///   `not-supported` for a command, or when the device does not support long writes.
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
  /// ```swift
  /// let description = try DescriptorSelector(parsing: "battery-level/2901")
  /// let octets = thermometer.session { thermometer.readDescriptor(description) }
  /// ```
  ///
  /// - Returns: Fails as ``DeviceService/read(_:)`` does; with `descriptor-missing` when the
  ///   characteristic does not have the descriptor.
  /// - Source: BlueZ, `doc/org.bluez.GattDescriptor.rst` (ReadValue).
  func readDescriptor(_ descriptor: DescriptorSelector) -> Signal<[UInt8]>

  /// Writes a descriptor with a request; sends one empty value.
  ///
  /// The Client Characteristic Configuration is rejected with the hint to subscribe: bluetoothd
  /// writes it itself.
  ///
  /// ```swift
  /// let trigger = try DescriptorSelector(parsing: "temperature-measurement/2906")
  /// let set = thermometer.session { thermometer.writeDescriptor([5, 0, 60, 0], to: trigger) }
  /// ```
  ///
  /// - Parameters:
  ///   - value: At most 512 octets.
  ///   - descriptor: The descriptor.
  /// - Returns: Fails as ``DeviceService/write(_:to:kind:)`` does, and must not be repeated blindly
  ///   either.
  /// - Source: BlueZ, `doc/org.bluez.GattDescriptor.rst` (WriteValue), `src/gatt-client.c`.
  func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) -> Signal<Void>

  /// Sends a stream that is already subscribed and buffered, once.
  ///
  /// Subscribers of one characteristic in this program share one subscription; the first of them
  /// decides how it is delivered.
  ///
  /// ```swift
  /// let options = SubscriptionOptions(onLinkLoss: .resume, overflow: .dropOldest)
  /// let levels = thermometer.session {
  ///   thermometer.subscribe("battery-level", options).flattenMap { $0.take(100).collect() }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - characteristic: The characteristic.
  ///   - options: The delivery, the size of the buffer and what happens when it is full, and
  ///     whether a lost connection ends the stream or leaves a gap in it.
  /// - Returns: Fails as ``DeviceService/notifications(_:)`` does.
  func subscribe(
    _ characteristic: CharacteristicSelector,
    _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>>

  /// Sends a writer with exclusive access to the characteristic, once; the writer is released when
  /// the signal ends.
  ///
  /// ```swift
  /// let sent = keyRing.session {
  ///   keyRing.acquireWriter("6e400002-b5a3-f393-e0a9-e50e24dcca9e").flattenMap { writer in
  ///     Signal<Void> { sink in
  ///       try await writer.write([1, 2, 3])
  ///       try await sink(())
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Returns: Fails with `not-supported` when the characteristic does not support write without
  ///   response, and with `busy` while another program has acquired the characteristic.
  func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter>
}

/// Sends commands (write without response) in a stream.
public protocol CommandWriter: Sendable {
  /// The ATT MTU of the connection, in octets.
  var mtu: Int { get }

  /// The maximum length of one command, in octets: three less than the MTU, at most 512.
  var longestValue: Int { get }

  /// Sends one command. Waits while the socket to bluetoothd is full.
  ///
  /// It returns when bluetoothd has received the value; as with every command, it is unknown
  /// whether the device has.
  ///
  /// - Throws: ``DeviceFailure``: `invalid-value` for a value that is too long, `link-lost` when
  ///   the connection dropped or bluetoothd released the writer. The errors of a wait.
  func write(_ value: [UInt8]) async throws
}

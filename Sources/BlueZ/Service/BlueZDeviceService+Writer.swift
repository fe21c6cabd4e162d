// Streams of commands.

public import Bluetooth
import DBus
public import Signals

extension BlueZDeviceService {
  /// Acquires a characteristic for writing, and sends the writer.
  ///
  /// While it is held, bluetoothd refuses `write` to the same characteristic, for this program and
  /// for every other.
  ///
  /// For many commands in a row, such as a firmware image: bluetoothd handles no call for each of
  /// them.
  ///
  /// ```swift
  /// let image = [UInt8](repeating: 0xff, count: 4096)
  /// let sent = device.session {
  ///   device.acquireWriter("6e400002-b5a3-f393-e0a9-e50e24dcca9e").flattenMap { writer in
  ///     Signal<Int> { sink in
  ///       for start in stride(from: 0, to: image.count, by: writer.longestValue) {
  ///         try await writer.write(Array(image[start...].prefix(writer.longestValue)))
  ///       }
  ///       try await sink(image.count)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (AcquireWrite).
  /// - Returns: The writer, which is released when the signal ends. Fails with `not-supported` when
  ///   the characteristic does not support write without response, and with `busy` while another
  ///   program has it.
  public func acquireWriter(
    _ selector: CharacteristicSelector
  ) -> Signal<any CommandWriter> {
    Signal<any CommandWriter>.using(
      acquire: Signal<any CommandWriter>.operation(of: scheduler, "acquiring a writer") {
        [self] sink in
        let writer: AcquiredWriter
        do {
          let channel = try channel(selector)
          try channel.requireOffer(of: .acquireWriter)
          writer = try await AcquiredWriter(of: channel, selector, self)
        } catch {
          throw await attributeFailure(error, .acquireWrite, "acquiring", selector)
        }
        try await sink(writer)
      },
      release: { writer in
        Signal<Void> { sink in
          try await (writer as? AcquiredWriter)?.release()
          try await sink(())
        }
      },
      releaseLimit: client.limits.call
    ) { .just($0) }
  }
}

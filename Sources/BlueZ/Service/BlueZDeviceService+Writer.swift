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
  /// - Source: BlueZ, `doc/org.bluez.GattCharacteristic.rst` (AcquireWrite).
  public func acquireWriter(
    _ selector: CharacteristicSelector
  ) -> Signal<any CommandWriter> {
    Signal<any CommandWriter>.using(
      acquire: Signal<any CommandWriter>.operation(of: scheduler, "acquiring a writer") {
        [self] sink in
        let writer: AcquiredWriter
        do {
          writer = try await AcquiredWriter(of: try channel(selector), selector, self)
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

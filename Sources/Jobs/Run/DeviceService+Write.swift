// Writes the value of a step.

import Bluetooth
import Signals

extension DeviceService {
  /// Writes, with the delivery of the step.
  func write(_ write: Write) -> Signal<Void> {
    switch write.delivery {
    case .call:
      self.write(write.value.octets, to: write.target, kind: write.kind, offset: write.offset)
    case .acquire:
      acquireWriter(write.target).flattenMap { writer in
        Signal { sink in
          try await writer.write(write.value.octets)
          try await sink(())
        }
      }
    }
  }
}

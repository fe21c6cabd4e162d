// Writing what a step says.

import Bluetooth
import Signals

extension DeviceService {
  /// Writes, by the way that the step names.
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

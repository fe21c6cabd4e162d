// The present values of a device.

import Bluetooth
import Signals

extension DeviceState {
  /// The value that a read finds.
  mutating func readValue(of index: Int, elapsed: Duration) -> [UInt8] {
    let value = characteristics[index].present(elapsed: elapsed)
    characteristics[index].reads += 1
    return value
  }

  /// What is seen of characteristics.
  func variables(_ views: [View], elapsed: Duration) -> Variables {
    var result = Variables()
    for view in views {
      let source = table.indices(of: view.characteristic).first
      result[view.name] = view.value(
        in: source.map { characteristics[$0].present(elapsed: elapsed) } ?? []
      )
    }
    return result
  }
}

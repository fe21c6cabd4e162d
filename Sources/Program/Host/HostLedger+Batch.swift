// One batch at an adapter at a time.
//
// Turns keep two runs from connecting at once; they do not keep two batches from taking each other's
// devices, and the few links that a controller has. Single runs go on between: they take turns.

import Bluetooth
import Glibc
import Signals

extension HostLedger {
  /// Marks an adapter as used by a batch: by `batch-ADDRESS.lock`, held until it is given back.
  ///
  /// - Returns: What gives it back.
  /// - Throws: ``DeviceFailure`` of the code `busy` when another batch of this user does.
  func beginBatch(at adapter: BluetoothAddress) throws -> @Sendable () -> Void {
    let path = path("batch", adapter)
    switch LockedFile.attempt(path) {
    case .held(let file):
      file.write("\(getpid())\n")
      let held = Guarded<LockedFile?>(file)
      return { held.withLock { $0 = nil } }
    case .taken:
      throw Self.busy(adapter, LockedFile.peek(path), doing: "another batch runs")
    // Without the file, batches are not distinguished from single runs.
    case .failed: return {}
    }
  }
}

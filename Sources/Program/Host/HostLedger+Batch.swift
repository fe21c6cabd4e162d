// One batch at an adapter at a time.
//
// Turns keep two runs from connecting at once; they do not keep two batches from taking each other's
// devices, and the few links that a controller has. Single runs go on between: they take turns.

import BlueZ
import Bluetooth
import Signals

extension HostLedger {
  /// How a batch waits for another one.
  struct BatchWait: Sendable {
    /// How long.
    let limit: Duration
    /// Called with who is waited for.
    let notice: @Sendable (String) -> Void
    /// Whether it is to be waited on.
    let goesOn: @Sendable () -> Bool
  }

  /// Marks an adapter as used by a batch, once no other batch of this user uses it.
  ///
  /// - Parameter wait: nil for none.
  /// - Returns: What gives it back.
  /// - Throws: ``DeviceFailure`` of the code `busy` when another batch does, at the end of the wait;
  ///   `CancellationError` when it is not to be waited on.
  func beginBatch(
    at adapter: BluetoothAddress,
    on loop: Loop,
    _ wait: BatchWait?
  ) async throws -> @Sendable () -> Void {
    let path = path("batch", adapter)
    let end = loop.now + (wait?.limit ?? .zero)
    var noticed: String?
    while true {
      switch use(path, isForOne: true) {
      case .held(let giveBack): return giveBack
      case .taken(let run):
        guard let wait, loop.now < end else {
          throw Self.busy("another batch runs over the adapter \(adapter): \(run)")
        }
        if !wait.goesOn() { throw CancellationError() }
        if run != noticed { wait.notice(run) }
        noticed = run
        try await loop.sleep(for: .milliseconds(50))
      }
    }
  }
}

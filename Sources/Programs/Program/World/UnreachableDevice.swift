// A device on a host without bluetoothd: each operation fails with the reason.

import Bluetooth
import Signals

struct UnreachableDevice: Device {
  let scheduler: SerialScheduler
  let deviceDescription: String
  let failure: any Error

  var operations: any DeviceOperations { Operations(failure: failure) }

  private func failing<Value: Sendable>() -> Signal<Value> {
    Signal(home: scheduler) { [failure] _ in throw failure }
  }

  func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>> { failing() }

  func subscribe(
    _ characteristic: CharacteristicSelector, _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>> { failing() }

  func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter> {
    failing()
  }

  func answering<Value: Sendable>(
    _ answers: PairingAnswers, _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> { failing() }

  private struct Operations: DeviceOperations, DeviceRequestPerformer {
    let failure: any Error

    func perform<Output>(_ request: DeviceRequest<Output>) async throws -> Output { throw failure }
  }
}

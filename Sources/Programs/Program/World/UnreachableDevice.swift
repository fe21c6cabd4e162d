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

  private struct Operations: DeviceOperations {
    let failure: any Error

    func connect(keep: Bool, expecting: [ServiceSelector]) async throws -> LinkOrigin {
      throw failure
    }
    func disconnect() async throws { throw failure }
    func release() async throws { throw failure }
    func services() async throws -> [GATTService] { throw failure }
    func read(_: CharacteristicSelector, offset: Int) async throws -> [UInt8] { throw failure }
    func write(
      _: [UInt8], to: CharacteristicSelector, kind: WriteKind, offset: Int
    ) async throws { throw failure }
    func readDescriptor(_: DescriptorSelector) async throws -> [UInt8] { throw failure }
    func writeDescriptor(_: [UInt8], to: DescriptorSelector) async throws { throw failure }
    func mtu() async throws -> Int { throw failure }
    func rssi() async throws -> LinkStrength { throw failure }
    func connectionParameters() async throws -> ConnectionParameters { throw failure }
    func pair(_: PairingAnswers) async throws -> PairingOutcome { throw failure }
    func unpair() async throws { throw failure }
    func trust(_: Bool) async throws { throw failure }
  }
}

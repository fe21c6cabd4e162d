// A device on a host without bluetoothd, so that its absence is reported as any other failure.

import Bluetooth
import Signals

/// Every operation fails, with the reason why there is no bluetoothd to ask.
struct UnreachableDevice: DeviceService {
  let scheduler: SerialScheduler
  let deviceDescription: String
  let failure: any Error

  func failing<Value: Sendable>() -> Signal<Value> {
    Signal(home: scheduler) { [failure] _ in throw failure }
  }

  func scan(_ filter: ScanFilter) -> Signal<Advertisement> { failing() }

  func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>> { failing() }

  func connect(keep: Bool, expecting: [ServiceSelector]) -> Signal<LinkOrigin> { failing() }

  func services() -> Signal<[GATTService]> { failing() }

  func read(_ characteristic: CharacteristicSelector) -> Signal<[UInt8]> { failing() }

  func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind
  ) -> Signal<Void> { failing() }

  func notifications(_ characteristic: CharacteristicSelector) -> Signal<NotifiedValue> {
    failing()
  }

  func subscribe(
    _ characteristic: CharacteristicSelector
  ) -> Signal<Signal<NotifiedValue>> { failing() }

  func rssi() -> Signal<LinkStrength> { failing() }

  func disconnect() -> Signal<Void> { failing() }

  func release() -> Signal<Void> { failing() }

  func pair(_ answers: PairingAnswers) -> Signal<PairingOutcome> { failing() }

  func answering<Value: Sendable>(
    _ answers: PairingAnswers,
    _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> { failing() }

  func unpair() -> Signal<Void> { failing() }

  func trust(_ isTrusted: Bool) -> Signal<Void> { failing() }
}

extension UnreachableDevice {
  func mtu() -> Signal<Int> { failing() }

  func connectionParameters() -> Signal<ConnectionParameters> { failing() }

  func read(_ characteristic: CharacteristicSelector, offset: Int) -> Signal<[UInt8]> { failing() }

  func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind,
    offset: Int
  ) -> Signal<Void> { failing() }

  func readDescriptor(_ descriptor: DescriptorSelector) -> Signal<[UInt8]> { failing() }

  func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) -> Signal<Void> {
    failing()
  }

  func subscribe(
    _ characteristic: CharacteristicSelector,
    _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>> { failing() }

  func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter> {
    failing()
  }
}

// The attributes of a device on a host without bluetoothd.

import Bluetooth
import Signals

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

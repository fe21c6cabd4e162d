// The device of each target: from the file, the command line or a scan.

import Bluetooth
import Signals

/// The devices of the targets of a suite, which stay bound from test to test.
final class Bindings: Sendable {
  private let devices: Guarded<[String: DeviceTarget]>

  init(_ targets: [SuiteTarget], _ given: [String: DeviceTarget]) {
    var devices = given
    for target in targets where devices[target.id] == nil {
      devices[target.id] = target.address.map { .address($0) }
    }
    self.devices = Guarded(devices)
  }

  subscript(target: String) -> DeviceTarget? { devices.withLock { $0[target] } }

  func bind(_ target: String, to address: BluetoothAddress) {
    devices.withLock { $0[target] = .address(address) }
  }
}

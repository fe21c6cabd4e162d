// Services that include others of the same device.

import Bluetooth
import Documents

extension DeviceReader {
  /// Complains of services that include one that is not there, or themselves.
  mutating func checkInclusions(in device: DeviceDefinition) {
    let all = device.services.map(\.uuid)
    for (service, included, node) in inclusions {
      if included == service {
        problems.append(node.problem("the service includes itself"))
      } else if !all.contains(included) {
        problems.append(node.problem("the device has no service \(node.shown)"))
      }
    }
  }
}

// What in a device refers to itself, or to what is not there.

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

  /// Complains of values that follow themselves.
  mutating func checkCircles(in device: DeviceDefinition) {
    let all = AttributeTable(device)
    let table = FollowerTable(all)
    for index in all.characteristics.indices where table.of(index).contains(index) {
      let node = references.first { all.indices(of: $0.characteristic).first == index }?.node
      guard let node else { continue }
      problems.append(node.problem("\(node.shown) follows itself"))
      // One complaint a circle is enough.
      return
    }
  }
}

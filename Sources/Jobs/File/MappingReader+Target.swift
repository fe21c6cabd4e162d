// The keys that name a device, wherever one is named.

import Bluetooth
import Documents

extension MappingReader {
  static let oneOfDevices = "one of { name }, { address }, { service }, { alias }"

  /// The device that `name`, `address`, `service` or `alias` name; complains of more than one.
  mutating func target(_ node: Node) -> DeviceTarget? {
    let targets: [DeviceTarget?] = [
      optional("name", expected: Scanning.nameShape) { $0.text.map { .name($0) } },
      optional("address", expected: Scanning.addressShape) {
        $0.text.flatMap { BluetoothAddress($0) }.map { .address($0) }
      },
      service(),
      optional("alias", expected: Scanning.nameShape) { $0.text.map { .alias($0) } },
    ]
    if targets.compactMap({ $0 }).count > 1 {
      let message = "a device is named in one way"
      complain([Complaint(message, expected: Self.oneOfDevices).about(node)])
    }
    return targets.compactMap { $0 }.first
  }

  private mutating func service() -> DeviceTarget? {
    guard let node = optional("service") else { return nil }
    if let uuid = node.text.flatMap({ AssignedNumbers.service(named: $0) }) {
      return .service(uuid)
    }
    let written = node.text ?? ""
    let nearest = AssignedNumbers.nearestService(to: written)
    complain([
      Complaint(
        node.text.map { "'\($0)' is no service" } ?? "\(node.kind) stands here",
        expected: nearest == nil ? Scanning.serviceShape : nil,
        nearest: nearest
      ).about(node)
    ])
    return nil
  }
}

// The security that each attribute requires.

import BlueZInterfaces
import DBus
import SimulatedDevices

/// The required security of the link, by attribute path.
struct Secrets {
  private var needs: [String: LinkSecurity] = [:]

  init(_ definitions: [DeviceDefinition], adapter: ObjectPath) {
    for definition in definitions {
      let device = BlueZPath.device(definition.address, of: adapter)
      let own = definition.services.flatMap(\.characteristics)
      for service in AttributeTable(definition).services {
        for entry in service.characteristics {
          let path = BlueZPath.characteristic(
            declaration: entry.declaration, of: BlueZPath.service(service.handle, of: device)
          )
          // With several attributes of one UUID, the highest requirement.
          let need = own.filter { $0.uuid == entry.uuid }
            .map { max($0.security.read, $0.security.write) }.max()
          if let need, need != .none { needs[path.text] = need }
        }
      }
    }
  }

  /// The requirement of an attribute; a descriptor has that of its characteristic.
  func need(_ path: String) -> LinkSecurity {
    if let need = needs[path] { return need }
    guard let end = path.lastIndex(of: "/") else { return .none }
    return needs[String(path[..<end])] ?? .none
  }
}

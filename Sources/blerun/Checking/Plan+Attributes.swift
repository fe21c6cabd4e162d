// What a chain names on a device.

import Bluetooth
import Jobs
import SimulatedDevices

extension Plan {
  /// What the steps name that none of the services has, each once, in their order.
  func attributes(missingIn services: [ServiceEntry]) -> [CharacteristicSelector] {
    var named: [CharacteristicSelector] = []
    func collect(_ steps: [Step]) {
      for step in steps {
        for selector in step.characteristics where !named.contains(selector) {
          named.append(selector)
        }
        collect(step.innerSteps)
      }
    }
    collect(steps)
    return named.filter { selector in !services.contains { $0.has(selector) } }
  }
}

extension ServiceEntry {
  fileprivate func has(_ selector: CharacteristicSelector) -> Bool {
    guard (selector.service ?? uuid) == uuid else { return false }
    return characteristics.contains { characteristic in
      selector.handle.map { $0 == characteristic.handle }
        ?? (selector.characteristic == characteristic.uuid)
    }
  }
}

// What a chain names on a device.

import Bluetooth
import Documents
import Jobs
import SimulatedDevices

extension Plan {
  /// What the steps name that none of the services has, each once, with the first step that names
  /// it, in their order.
  func attributes(
    missingIn services: [ServiceEntry]
  ) -> [(selector: CharacteristicSelector, step: Step)] {
    var named: [(selector: CharacteristicSelector, step: Step)] = []
    func collect(_ steps: [Step]) {
      for step in steps {
        for selector in step.characteristics
        where !named.contains(where: { $0.selector == selector }) {
          named.append((selector, step))
        }
        collect(step.innerSteps)
      }
    }
    collect(steps)
    return named.filter { selector, _ in !services.contains { $0.has(selector) } }
  }

  /// Where a chain file names its device; the complete file where it does not.
  static func placeOfDevice(in file: String) -> Place {
    guard let text = try? TextFile.read(file), let root = try? Document.parse(text, file: file),
      let entry = root.mapping?.first(where: { $0.key == "device" })
    else { return Place(file: file) }
    return entry.value.place
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

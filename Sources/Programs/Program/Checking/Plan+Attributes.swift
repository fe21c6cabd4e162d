// Compares the attributes that a chain names with the services of a device.

import Bluetooth
import Documents
import Jobs
import SimulatedDevices

extension Plan {
  /// The characteristics that steps name but no service has, each with the first step that names
  /// it, in the order of the steps. Steps that only warn are ignored.
  func attributes(
    missingIn services: [ServiceEntry]
  ) -> [(selector: CharacteristicSelector, step: Step)] {
    var named: [(selector: CharacteristicSelector, step: Step)] = []
    for step in allSteps where step.onFailure != .warn {
      for selector in step.characteristics
      where !named.contains(where: { $0.selector == selector }) {
        named.append((selector, step))
      }
    }
    return named.filter { selector, _ in !services.contains { $0.has(selector) } }
  }

  /// The operations that no characteristic supports, in the order of the steps. Steps that must
  /// fail or only warn are ignored.
  func operations(
    refusedBy services: [ServiceEntry]
  ) -> [(problem: String, remedy: String?, step: Step)] {
    var refused: [(problem: String, remedy: String?, step: Step)] = []
    for step in allSteps where !step.isToFail && step.onFailure != .warn {
      for (target, operation) in step.operations {
        let offers = services.flatMap { $0.offers(of: target) }
        let refusals = offers.compactMap { operation.refusal(by: $0) }
        guard let first = refusals.first, refusals.count == offers.count else { continue }
        refused.append(("\(target) \(first)", first.remedy, step))
      }
    }
    return refused
  }

  /// The place of the key `device` in a chain file; the file itself if it has no such key.
  static func placeOfDevice(in file: String) -> Place {
    guard let text = try? TextFile.read(file), let root = try? Document.parse(text, file: file),
      let entry = root.mapping?.first(where: { $0.key == "device" })
    else { return Place(file: file) }
    return entry.value.place
  }

  /// A warning for each name of the chain's file that is the assigned one of another UUID.
  func warningsAboutNames(in file: String) -> [Problem] {
    let shadows = names.entries.compactMap { entry in
      entry.shadowed.map { (entry.name, Problem("\($0), and of another UUID in this file")) }
    }
    guard !shadows.isEmpty else { return [] }
    let text = TextFile.isRegular(file) ? try? TextFile.read(file) : nil
    let declared = text.flatMap { try? Document.parse($0, file: file) }?.value(of: "names")?.mapping
    return shadows.map { name, problem in
      let entry = declared?.first { $0.key == name }
      return entry.map { problem.at(keyOf: $0) } ?? problem.at(Place(file: file))
    }
  }
}

extension Step {
  fileprivate var isToFail: Bool { if case .failure = expected { true } else { false } }
}

extension ServiceEntry {
  fileprivate func has(_ selector: CharacteristicSelector) -> Bool {
    !offers(of: selector).isEmpty
  }

  /// The properties of the characteristics that match a selector.
  fileprivate func offers(of selector: CharacteristicSelector) -> [CharacteristicProperties] {
    guard (selector.service ?? uuid) == uuid else { return [] }
    return characteristics.filter { characteristic in
      selector.handle.map { $0 == characteristic.handle }
        ?? (selector.characteristic == characteristic.uuid)
    }.map(\.properties)
  }
}

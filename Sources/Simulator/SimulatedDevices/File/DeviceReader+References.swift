// References of a device file to the device's own characteristics and services.

import Bluetooth
import Documents
import Spelling

/// A reference to a characteristic, with the requirement on it.
struct Reference {
  /// The requirement on the characteristic.
  enum Need {
    case presence
    case read
    case write
    case notify
    case set
    /// One or more characteristics match; the others require exactly one.
    case several
  }

  let characteristic: CharacteristicSelector
  let node: Node
  let need: Need
}

extension DeviceReader {
  /// Reads a reference to a characteristic of the current device: `battery-level`,
  /// `battery/battery-level`, `2a19#1`, `@0x0014`. It is checked at the end of the device.
  mutating func reference(_ node: Node, _ need: Reference.Need) -> CharacteristicSelector? {
    guard let selector = selector(node) else { return nil }
    references.append(Reference(characteristic: selector, node: node, need: need))
    return selector
  }

  /// Reads the name of a characteristic, without a check that a device has it.
  mutating func selector(_ node: Node) -> CharacteristicSelector? {
    guard let text = node.text else {
      problems.append(node.problem(expected: "an assigned name or a UUID"))
      return nil
    }
    do throws(SelectorError) {
      return try CharacteristicSelector(parsing: text, names: attributeNames)
    } catch {
      let isWhole = !text.contains("/") && !text.contains("#") && !text.contains("@")
      problems.append(
        node.problem(
          isWhole ? "unknown characteristic \(node.shown)" : error.problem,
          expected: "an assigned name or a UUID", nearest: error.nearest
        )
      )
      return nil
    }
  }

  /// Reports references to missing or ambiguous characteristics, and to those that do not meet the
  /// requirement.
  mutating func checkReferences(in device: DeviceDefinition) {
    guard !references.isEmpty else { return }
    let table = AttributeTable(device)
    for reference in references {
      let node = reference.node
      let found = table.indices(of: reference.characteristic)
      guard let first = found.first else {
        problems.append(
          node.problem(
            "the device has no characteristic \(node.shown)", expected: nil,
            nearest: nearest(to: node, in: table)
          )
        )
        continue
      }
      if found.count > 1, reference.need != .several {
        problems.append(
          node.problem(
            "\(node.shown) is \(found.count) characteristics",
            expected: "one of " + found.map { table.name($0) }.joined(separator: ", ")
          )
        )
        continue
      }
      check(reference, table.characteristics[first].definition)
    }
  }

  private mutating func check(_ reference: Reference, _ found: CharacteristicDefinition) {
    let node = reference.node
    switch reference.need {
    case .notify where found.properties.isDisjoint(with: [.notify, .indicate]):
      problems.append(
        node.problem("\(node.shown) cannot notify", expected: "one with the property notify")
      )
    case .set where found.behaviour.isMoving:
      problems.append(
        node.problem("\(node.shown) generates its value", expected: "one with a constant value")
      )
    case .read where !found.properties.contains(.read):
      problems.append(
        node.problem("\(node.shown) cannot be read", expected: "one with the property read")
      )
    case .write where !found.properties.isWritable:
      problems.append(
        node.problem("\(node.shown) cannot be written", expected: "one with the property write")
      )
    case .presence, .read, .write, .notify, .set, .several: break
    }
  }

  /// Reports services that include a missing service, or themselves.
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

  /// The most similar name of a characteristic of the device.
  private func nearest(to node: Node, in table: AttributeTable) -> String? {
    node.text.flatMap { text in
      Spelling.nearest(to: text, among: table.characteristics.indices.flatMap { table.names($0) })
    }
  }
}

extension AttributeTable {
  /// The names of a characteristic: alone, with its service, with an instance.
  func names(_ index: Int) -> [String] {
    let characteristic = characteristics[index]
    let short = CharacteristicSelector(characteristic: characteristic.entry.uuid)
    let long = CharacteristicSelector(
      service: characteristic.service, characteristic: characteristic.entry.uuid
    )
    return [short, long].map(\.description) + [name(index)]
  }

  /// The shortest unambiguous name of a characteristic.
  func name(_ index: Int) -> String {
    let characteristic = characteristics[index]
    let uuid = characteristic.entry.uuid
    let plain = CharacteristicSelector(characteristic: uuid)
    if indices(of: plain).count == 1 { return plain.description }
    let long = CharacteristicSelector(service: characteristic.service, characteristic: uuid)
    let same = indices(of: long)
    guard same.count > 1, let instance = same.firstIndex(of: index) else {
      return long.description
    }
    return CharacteristicSelector(
      service: characteristic.service, characteristic: uuid, instance: instance
    ).description
  }
}

// Where a device file names one of its characteristics or services in the description of another.

import Bluetooth
import Documents
import Spelling

/// A characteristic that something in a file is to happen on.
struct Reference {
  /// What the characteristic has to be fit for.
  enum Need {
    case presence
    case read
    case write
    case notify
    case set
    /// Any number of them, at least one.
    case several
  }

  let characteristic: CharacteristicSelector
  let node: Node
  let need: Need
}

extension DeviceReader {
  /// A characteristic of the present device: `battery-level`, `battery/battery-level`, `2a19#1`,
  /// `@0x0014`.
  mutating func reference(_ node: Node, _ need: Reference.Need) -> CharacteristicSelector? {
    guard let selector = selector(node) else { return nil }
    references.append(Reference(characteristic: selector, node: node, need: need))
    return selector
  }

  /// How a characteristic is named, of whichever device.
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

  /// Complains of what is to happen on characteristics that are not there, are more than one, or
  /// are not fit for it.
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
        node.problem("\(node.shown) moves by itself", expected: "one whose value stays")
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

  /// What of the device's own is nearly called so.
  private func nearest(to node: Node, in table: AttributeTable) -> String? {
    node.text.flatMap { text in
      Spelling.nearest(to: text, among: table.characteristics.indices.flatMap { table.names($0) })
    }
  }
}

extension AttributeTable {
  /// What a characteristic may be called: alone, with its service, with an instance.
  func names(_ index: Int) -> [String] {
    let characteristic = characteristics[index]
    let short = CharacteristicSelector(characteristic: characteristic.entry.uuid)
    let long = CharacteristicSelector(
      service: characteristic.service, characteristic: characteristic.entry.uuid
    )
    return [short, long].map(\.description) + [name(index)]
  }

  /// The shortest name that means this characteristic alone.
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

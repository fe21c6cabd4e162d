// Which descriptor of a device a selector selects.
//
// Pure: selector and objects in, one descriptor or a problem out.

import BlueZInterfaces
import Bluetooth
import DBus

/// One descriptor in the tree.
struct DescriptorView: Equatable, Sendable {
  let path: ObjectPath
  let uuid: BluetoothUUID
  let handle: UInt16
  let characteristic: CharacteristicView
}

extension ObjectTree {
  /// The descriptors of a characteristic, in order of handle.
  func descriptors(of characteristic: CharacteristicView) -> [DescriptorView] {
    paths(with: GattDescriptor1.interface, below: characteristic.path).compactMap { path in
      guard let handle = BlueZPath(path)?.handle,
        let uuid = value(GattDescriptor1.uuid, at: path)
      else { return nil }
      return DescriptorView(path: path, uuid: uuid, handle: handle, characteristic: characteristic)
    }
  }
}

extension DescriptorSelector {
  /// The selected descriptor.
  ///
  /// - Throws: ``Cause`` with `descriptor-missing`, which lists the existing ones, `ambiguous`,
  ///   which lists those that match, or an error of the characteristic.
  func resolved(in tree: ObjectTree, of device: ObjectPath) throws -> DescriptorView {
    let all = tree.characteristics(of: device)
    if all.isEmpty, !tree.isResolved(device) { throw Cause.servicesUnread }
    if let handle {
      let descriptors = all.flatMap { tree.descriptors(of: $0) }
      guard let found = descriptors.first(where: { $0.handle == handle }) else {
        throw Cause.missing(self, among: descriptors, all)
      }
      return found
    }
    let owner = try characteristic.resolved(among: all)
    let descriptors = tree.descriptors(of: owner)
    let matching = descriptors.filter { $0.uuid == descriptor }
    if let instance {
      guard matching.indices.contains(instance) else {
        throw Cause.missing(self, among: descriptors, all)
      }
      return matching[instance]
    }
    guard let first = matching.first else {
      throw Cause.missing(self, among: descriptors, all)
    }
    guard matching.count == 1 else { throw Cause.ambiguous(self, matching, all) }
    return first
  }
}

extension DescriptorView {
  /// A selector that selects only this descriptor: `battery-level/2901`.
  ///
  /// - Parameter names: The names by which attributes are printed.
  func selector(
    among siblings: [DescriptorView], _ characteristics: [CharacteristicView],
    _ names: AttributeNames
  ) -> String {
    let same = siblings.filter { $0.uuid == uuid && $0.characteristic == characteristic }
    let owner = characteristic.selector(among: characteristics, names)
    let instance = same.count > 1 ? same.firstIndex(of: self).map { "#\($0)" } ?? "" : ""
    return "\(owner)/\(names.title(of: uuid, .descriptor))\(instance)"
  }
}

extension Cause {
  static func missing(
    _ selector: DescriptorSelector, among descriptors: [DescriptorView],
    _ characteristics: [CharacteristicView]
  ) -> Cause {
    let names = selector.characteristic.names
    let shown = descriptors.prefix(12).map {
      $0.selector(among: descriptors, characteristics, names)
    }
    let more = descriptors.count > 12 ? " and \(descriptors.count - 12) more" : ""
    let owner = selector.handle == nil ? "\(selector.characteristic)" : "the device"
    return permanent(
      .descriptorMissing,
      "unknown descriptor \(selector); \(owner) has "
        + (shown.isEmpty ? "none" : shown.joined(separator: ", ") + more),
      hint: "\(.inspect) shows the device's descriptors"
    )
  }

  static func ambiguous(
    _ selector: DescriptorSelector, _ matching: [DescriptorView],
    _ characteristics: [CharacteristicView]
  ) -> Cause {
    let names = selector.characteristic.names
    let selectors = matching.map { $0.selector(among: matching, characteristics, names) }
    return permanent(
      .ambiguous,
      "\(selector) matches \(matching.count) descriptors: \(selectors.joined(separator: ", "))",
      hint: Hint(
        "use one of these, or a handle: "
          + matching.map { CharacteristicSelector(handle: $0.handle).description }
          .joined(separator: ", ")
      )
    )
  }
}

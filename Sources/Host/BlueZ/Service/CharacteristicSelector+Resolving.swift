// Which characteristic of a device a selector selects.
//
// Pure: selector and characteristics in, one of them or a problem out.

import Bluetooth

extension CharacteristicSelector {
  /// The selected characteristic.
  ///
  /// - Throws: ``Cause`` with `characteristic-missing`, which lists the existing ones, or
  ///   `ambiguous`, which lists those that match.
  func resolved(among all: [CharacteristicView]) throws -> CharacteristicView {
    if let handle {
      // The declaration's handle, which object paths contain, is one below the value's.
      let found =
        all.first { $0.valueHandle == handle } ?? all.first { $0.valueHandle == handle &+ 1 }
      guard let found else {
        throw Cause.missing(self, among: all)
      }
      return found
    }
    let matching = all.filter { view in
      view.uuid == characteristic && (service.map { $0 == view.service } ?? true)
    }
    if let instance {
      guard matching.indices.contains(instance) else {
        throw Cause.missing(self, among: all)
      }
      return matching[instance]
    }
    guard let first = matching.first else { throw Cause.missing(self, among: all) }
    guard matching.count == 1 else { throw Cause.ambiguous(self, matching, among: all) }
    return first
  }
}

extension Cause {
  static func missing(
    _ selector: CharacteristicSelector, among all: [CharacteristicView]
  ) -> Cause {
    if all.isEmpty {
      return .noServices(.characteristicMissing, "\(selector)")
    }
    // A long list is useless: the names of the same service first, no more than a dozen.
    let sorted =
      all.filter { $0.service == selector.service }
      + all.filter { $0.service != selector.service }
    let shown = sorted.prefix(12).map { $0.selector(among: all, selector.names) }
      .joined(separator: ", ")
    let more = all.count > 12 ? " and \(all.count - 12) more" : ""
    if selector.isOfGenericAccess, !all.contains(where: { $0.service == .genericAccess }) {
      return permanent(
        .characteristicMissing,
        "bluetoothd keeps Generic Access (1800) of every device for itself, and does not offer "
          + "\(selector) over D-Bus; it offers \(shown)\(more)",
        hint: "\(.scan) and \(.inspect) show the device's name and appearance, as bluetoothd knows "
          + "them (Name, Appearance)"
      )
    }
    return permanent(
      .characteristicMissing,
      "the device has no \(selector); it has "
        + (shown + more),
      hint: "\(.inspect) shows the device's services; if its firmware has changed, "
        + "\(.fresh) so that they are read again"
    )
  }

  static func ambiguous(
    _ selector: CharacteristicSelector, _ matching: [CharacteristicView],
    among all: [CharacteristicView]
  ) -> Cause {
    permanent(
      .ambiguous,
      "\(selector) matches \(matching.count) characteristics: "
        + matching.map { $0.selector(among: all, selector.names) }.joined(separator: ", "),
      hint: Hint(
        "use one of these, or a handle: "
          + matching.map { CharacteristicSelector(handle: $0.valueHandle).description }
          .joined(separator: ", ")
      )
    )
  }
}

extension BluetoothUUID {
  fileprivate static let genericAccess = BluetoothUUID(short: 0x1800)
}

extension CharacteristicSelector {
  /// Whether it selects a characteristic that only Generic Access has.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part C §12.
  fileprivate var isOfGenericAccess: Bool {
    guard handle == nil else { return false }
    return service == .genericAccess
      || (service == nil
        && [0x2a00, 0x2a01, 0x2a04, 0x2ac9].contains { BluetoothUUID(short: $0) == characteristic })
  }
}

extension CharacteristicView {
  /// A selector that selects only this characteristic of `all`: `battery/battery-level`, with `#1`
  /// when a device has the service or the characteristic more than once.
  ///
  /// - Parameter names: The names by which attributes are printed.
  func selector(among all: [CharacteristicView], _ names: AttributeNames) -> String {
    let same = all.filter { $0.uuid == uuid && $0.service == service }
    return CharacteristicSelector(
      service: service, characteristic: uuid,
      instance: same.count > 1 ? same.firstIndex(of: self) : nil, names: names
    ).description
  }
}

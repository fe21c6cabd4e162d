// Which characteristic of a device a selector means.
//
// Pure: selector and characteristics in, one of them or a problem out.

import Bluetooth

extension CharacteristicSelector {
  /// The characteristic that is meant.
  ///
  /// - Throws: ``Problem`` with `characteristic-missing`, which names those there are, or
  ///   `ambiguous`, which names those that match.
  func resolved(among all: [CharacteristicView]) throws -> CharacteristicView {
    if let handle {
      // The declaration's handle, which object paths have, is one below the value's.
      let found =
        all.first { $0.valueHandle == handle } ?? all.first { $0.valueHandle == handle &+ 1 }
      guard let found else {
        throw Problem(.missing(self, among: all))
      }
      return found
    }
    let matching = all.filter { view in
      view.uuid == characteristic && (service.map { $0 == view.service } ?? true)
    }
    if let instance {
      guard matching.indices.contains(instance) else {
        throw Problem(.missing(self, among: all))
      }
      return matching[instance]
    }
    guard let first = matching.first else { throw Problem(.missing(self, among: all)) }
    guard matching.count == 1 else { throw Problem(.ambiguous(self, matching, among: all)) }
    return first
  }
}

extension Explanation {
  static func missing(
    _ selector: CharacteristicSelector,
    among all: [CharacteristicView]
  ) -> Explanation {
    if all.isEmpty {
      return .noServices(.characteristicMissing, AssignedNumbers.title(of: selector))
    }
    // A long list helps nobody: the names of the same service first, no more than a dozen.
    let sorted =
      all.filter { $0.service == selector.service }
      + all.filter { $0.service != selector.service }
    let shown = sorted.prefix(12).map { $0.selector(among: all) }.joined(separator: ", ")
    let more = all.count > 12 ? " and \(all.count - 12) more" : ""
    return definite(
      .characteristicMissing,
      "the device has no \(AssignedNumbers.title(of: selector)); it has "
        + (shown + more),
      hint: "blerun inspect shows the device's services; if its firmware has changed, run "
        + "with --fresh so that they are read anew"
    )
  }

  static func ambiguous(
    _ selector: CharacteristicSelector,
    _ matching: [CharacteristicView],
    among all: [CharacteristicView]
  ) -> Explanation {
    definite(
      .ambiguous,
      "\(AssignedNumbers.title(of: selector)) means \(matching.count) characteristics: "
        + matching.map { $0.selector(among: all) }.joined(separator: ", "),
      hint: "use one of these, or a handle: "
        + matching.map { CharacteristicSelector(handle: $0.valueHandle).description }
        .joined(separator: ", ")
    )
  }
}

extension CharacteristicView {
  /// A selector that means this characteristic and no other of `all`: `battery/battery-level`, with
  /// `#1` where a device has the service or the characteristic more than once.
  func selector(among all: [CharacteristicView]) -> String {
    let same = all.filter { $0.uuid == uuid && $0.service == service }
    let instance = same.count > 1 ? same.firstIndex(of: self) : nil
    return CharacteristicSelector(service: service, characteristic: uuid, instance: instance)
      .description
  }
}

extension AssignedNumbers {
  /// What a selector is called in messages.
  static func title(of selector: CharacteristicSelector) -> String { selector.description }
}

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
      guard let found = all.first(where: { $0.valueHandle == handle }) else {
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
    guard matching.count == 1 else { throw Problem(.ambiguous(self, matching)) }
    return first
  }
}

extension Explanation {
  static func missing(
    _ selector: CharacteristicSelector,
    among all: [CharacteristicView]
  ) -> Explanation {
    // A long list helps nobody: the names of the same service first, no more than a dozen.
    let sorted =
      all.filter { $0.service == selector.service }
      + all.filter { $0.service != selector.service }
    let shown = sorted.prefix(12).map(\.title).joined(separator: ", ")
    let more = all.count > 12 ? " and \(all.count - 12) more" : ""
    return definite(
      .characteristicMissing,
      "the device has no \(AssignedNumbers.title(of: selector)); it has "
        + (all.isEmpty ? "no characteristics" : shown + more),
      hint: "blerun inspect shows the device's services; if its firmware has changed, remove it "
        + "(bluetoothctl remove) so that they are read anew"
    )
  }

  static func ambiguous(
    _ selector: CharacteristicSelector,
    _ matching: [CharacteristicView]
  ) -> Explanation {
    definite(
      .ambiguous,
      "\(AssignedNumbers.title(of: selector)) means \(matching.count) characteristics: "
        + matching.map(\.title).joined(separator: ", "),
      hint: "name the service as well (service/characteristic), add #0, #1 … in order of handle, "
        + "or give the handle (@0x0012)"
    )
  }
}

extension AssignedNumbers {
  /// What a selector is called in messages.
  static func title(of selector: CharacteristicSelector) -> String { selector.description }
}

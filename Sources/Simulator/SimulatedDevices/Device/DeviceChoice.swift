// Finds a device or a characteristic from a user's text.

import Bluetooth
public import Documents
import Spelling

extension SimulatedDevice {
  /// The name of the device, or its address if it has none.
  public var title: String { definition.name ?? "\(definition.address)" }

  /// Finds a device by its address, or by its name in any case.
  ///
  /// - Throws: `Problem`, which lists the known names and suggests the nearest.
  public static func named(
    _ text: String, among devices: [SimulatedDevice]
  ) throws(Problem) -> SimulatedDevice {
    if let address = BluetoothAddress(text),
      let found = devices.first(where: { $0.isReceived(under: address) })
    {
      return found
    }
    let found = devices.filter { $0.definition.name?.lowercased() == text.lowercased() }
    if found.count == 1 { return found[0] }
    if found.count > 1 {
      let addresses = found.map { "\($0.definition.address)" }.joined(separator: ", ")
      throw Problem(
        "\(found.count) devices are called '\(text)': expected an address of these: " + addresses
      )
    }
    let known = devices.map(\.title)
    throw Problem(
      "unknown simulated device '\(text)': expected "
        + expectation(text, known + devices.map { "\($0.definition.address)" }, listing: known)
    )
  }

  private func isReceived(under address: BluetoothAddress) -> Bool {
    definition.address == address || airAddress().address == address
  }
}

extension AttributeTable {
  /// Finds the characteristic for a selector such as `battery-level`, `2a19`,
  /// `battery/battery-level` or `@0x000c`.
  ///
  /// - Throws: `Problem`, which lists the known names and suggests the nearest.
  public func characteristic(named text: String) throws(Problem) -> CharacteristicEntry {
    let selector: CharacteristicSelector
    do {
      selector = try CharacteristicSelector(parsing: text, names: names)
    } catch {
      throw Problem("\(error): expected a characteristic's name, UUID or handle")
    }
    let found = indices(of: selector)
    // Without an instance, the match must be unique.
    if found.count == 1 { return characteristics[found[0]].entry }
    if found.count > 1 {
      let last = found.count - 1
      throw Problem(
        "'\(text)' is \(found.count) characteristics: expected '\(text)#0' to "
          + "'\(text)#\(last)'"
      )
    }
    let known = characteristics.map { characteristic in
      names.title(of: characteristic.entry.uuid, .characteristic)
    }
    throw Problem(
      "the device has no '\(text)': expected "
        + expectation(text, known, listing: known)
    )
  }
}

/// The most similar known name, or all of them.
private func expectation(_ text: String, _ known: [String], listing: [String]) -> String {
  if let nearest = Spelling.nearest(to: text, among: known) {
    return "an existing one; did you mean '\(nearest)'?"
  }
  return listing.isEmpty ? "an existing one, but there is none" : listing.joined(separator: ", ")
}

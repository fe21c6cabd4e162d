// The file in which bluetoothd caches a device: /var/lib/bluetooth/ADAPTER/cache/DEVICE.

package import Bluetooth

/// The attributes of a device in bluetoothd's cache, which stores no values.
///
/// - Source: BlueZ 5.66, `src/device.c` and `doc/settings-storage.txt`; later `src/settings.c`.
package enum BlueZCache {
  /// Whether a text is the content of a cache file.
  package static func isCacheFile(_ text: String) -> Bool {
    text.split(whereSeparator: \.isNewline).contains { $0 == "[General]" || $0 == "[Attributes]" }
  }

  /// Makes a recording from a cache file.
  ///
  /// - Parameters:
  ///   - text: The content of the file.
  ///   - address: The address of the device, which is the name of the file.
  package static func recording(_ text: String, address: BluetoothAddress) -> DeviceRecording {
    var facts = AttributeFacts()
    var name: String?
    var section = ""
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("[") {
        section = String(line)
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      if section == "[General]", parts[0] == "Name" { name = String(parts[1]) }
      guard section == "[Attributes]", let handle = UInt16(parts[0], radix: 16) else { continue }
      add(parts[1].split(separator: ":").map(String.init), at: handle, to: &facts)
    }
    // The file does not store the address type. It is taken as random if the upper bits are those
    // of a static random address.
    let type: AddressType = address.isIdentity(.random) ? .random : .public
    var recording = DeviceRecording(address: address, addressType: type, name: name)
    recording.services = facts.services
    recording.unknown = [
      "values, advertisements and timing: bluetoothd's cache has the attributes alone",
      "the kind of its address: the cache does not have it",
    ]
    if recording.services.isEmpty {
      recording.unknown.append("its services: bluetoothd has not read them yet")
    }
    return recording
  }

  private static func add(_ parts: [String], at handle: UInt16, to facts: inout AttributeFacts) {
    func number(_ place: Int) -> UInt16? {
      parts.indices.contains(place) ? UInt16(parts[place], radix: 16) : nil
    }
    guard let uuid = parts.last.flatMap({ BluetoothUUID($0) }) else { return }
    switch parts[0] {
    case "2800", "2801":
      guard parts.count == 3, let end = number(1) else { return }
      facts.groups[handle] = .init(end: end, uuid: uuid, isPrimary: parts[0] == "2800")
    case "2802":
      if let start = number(1) { facts.includes[handle] = start }
    case "2803":
      guard let value = number(1), let properties = number(2) else { return }
      facts.declarations[handle] = .init(
        value: value, properties: UInt8(truncatingIfNeeded: properties), uuid: uuid
      )
    // open: a descriptor, with the extended properties before its UUID or alone
    default:
      facts.types[handle] = uuid
      if parts.count == 2, let bits = number(0) {
        facts.readings[handle] = .octets([UInt8(bits & 0xff), UInt8(bits >> 8)])
      }
    }
  }
}

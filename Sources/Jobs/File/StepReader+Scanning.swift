// `scan`, a step of its own keys.

import Bluetooth
import Documents

extension StepReader {
  /// `scan: 5s`, with what the devices must be beside it.
  mutating func scan(_ reader: inout MappingReader) -> Step? {
    let duration = reader.required("scan", expected: ChainReader.limit) { $0.positiveDuration }
    let filter = Self.filter(&reader)
    let capture = capture(&reader)
    let node = reader.optional("expect")
    guard let duration else { return nil }
    return Step(
      .scan(Scanning(for: duration, filter: filter)),
      capture: capture,
      expectations: expectations(node, .scanned)
    )
  }

  /// What the devices of a scan must be.
  static func filter(_ reader: inout MappingReader) -> ScanFilter {
    let name = reader.optional("name", expected: Scanning.nameShape) { $0.text }
    let address = reader.optional("address", expected: Scanning.addressShape) {
      $0.text.flatMap { BluetoothAddress($0) }
    }
    let service = reader.optional("service", expected: Scanning.serviceShape) {
      $0.text.flatMap { AssignedNumbers.service(named: $0) }
    }
    let rssi = reader.optional("rssi", expected: Scanning.rssiShape) {
      $0.integer.flatMap { Scanning.rssiRange.contains($0) ? $0 : nil }
    }
    let manufacturer = reader.optional("manufacturer", expected: Scanning.manufacturerShape) {
      $0.text.flatMap { ManufacturerPattern($0) }
    }
    let data = reader.optional("service-data", expected: Scanning.serviceDataShape) {
      $0.text.flatMap { ServiceDataPattern($0) }
    }
    let isPassive = reader.optional("passive", expected: "true or false") { $0.truth }
    return ScanFilter(
      name: name,
      address: address,
      services: service.map { [$0] } ?? [],
      rssi: rssi,
      manufacturer: manufacturer,
      serviceData: data,
      isPassive: isPassive ?? false
    )
  }
}

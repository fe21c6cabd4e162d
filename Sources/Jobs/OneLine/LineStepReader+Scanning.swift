// `scan` in the one-line form: `scan for 5s name "Thermo*" rssi -70 expect count >= 1`.

import Bluetooth
import Documents

extension LineStepReader {
  private static let scanOptions = [
    "for", "name", "address", "service", "rssi", "manufacturer", "service-data", "passive", "as",
    "expect",
  ]

  mutating func scan() throws(LineError) -> Step {
    var duration: Duration?
    var name: String?
    var address: BluetoothAddress?
    var services: [BluetoothUUID] = []
    var rssi: Int?
    var manufacturer: ManufacturerPattern?
    var data: ServiceDataPattern?
    var isPassive = false
    var capture: String?
    var expected: [Expected] = []
    while let word = pop() {
      guard !word.isValue, Self.scanOptions.contains(word.text) else {
        let message = "'\(word.text)' stands here"
        throw LineError(.unknown(message, word.text, among: Self.scanOptions), at: word.place)
      }
      switch word.text {
      case "for": duration = try value(ChainReader.limit) { Duration(written: $0) }
      case "name": name = try value(Scanning.nameShape) { $0 }
      case "address": address = try value(Scanning.addressShape) { BluetoothAddress($0) }
      case "service":
        services.append(try value(Scanning.serviceShape) { AssignedNumbers.service(named: $0) })
      case "rssi":
        rssi = try value(Scanning.rssiShape) { text in
          Int(text).flatMap { Scanning.rssiRange.contains($0) ? $0 : nil }
        }
      case "manufacturer":
        manufacturer = try value(Scanning.manufacturerShape) { ManufacturerPattern($0) }
      case "service-data": data = try value(Scanning.serviceDataShape) { ServiceDataPattern($0) }
      case "passive": isPassive = true
      case "as": capture = try value(VariablePath.shape) { VariablePath.isName($0) ? $0 : nil }
      default: expected.append(try self.expected())
      }
    }
    guard let duration, duration > .zero else { throw missing("'for' with a duration: for 5s") }
    let filter = ScanFilter(
      name: name,
      address: address,
      services: services,
      rssi: rssi,
      manufacturer: manufacturer,
      serviceData: data,
      isPassive: isPassive
    )
    return Step(
      .scan(Scanning(for: duration, filter: filter)),
      capture: capture,
      expectations: try expectations(expected, .scanned)
    )
  }

  /// The next word, read as what is expected.
  private mutating func value<Value>(
    _ expected: String,
    _ read: (String) -> Value?
  ) throws(LineError) -> Value {
    let word = try next(expected)
    if let value = read(word.text) { return value }
    throw LineError(Complaint("'\(word.text)' stands here", expected: expected), at: word.place)
  }
}

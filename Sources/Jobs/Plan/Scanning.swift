// A scan as a step of a chain: how long, and for which devices.

public import Bluetooth

/// A scan: for how long, and which devices it is for.
public struct Scanning: Hashable, Sendable, CustomStringConvertible {
  /// How long to listen. No device is no failure.
  public var duration: Duration
  public var filter: ScanFilter

  public init(for duration: Duration, filter: ScanFilter = ScanFilter()) {
    self.duration = duration
    self.filter = filter
  }

  /// In the one-line form: `for 5s name "Thermo*" rssi -70`.
  public var description: String {
    var words = ["for \(duration.written)"]
    if let name = filter.name { words.append("name \(Quoting.quoted(name))") }
    if let address = filter.address { words.append("address \(address)") }
    for service in filter.services {
      words.append("service \(AssignedNumbers.serviceIdentifier(service) ?? "\(service)")")
    }
    if let rssi = filter.rssi { words.append("rssi \(rssi)") }
    if let manufacturer = filter.manufacturer { words.append("manufacturer \(manufacturer)") }
    if let data = filter.serviceData { words.append("service-data \(data)") }
    if filter.isPassive { words.append("passive") }
    return words.joined(separator: " ")
  }
}

extension Scanning {
  /// How the parts of a filter are written, in files and on one line.
  static let nameShape = "a name, in which * and ? stand for others"
  static let addressShape = "an address such as C0:FF:EE:00:00:01"
  static let serviceShape = "a service such as battery, or a UUID"
  static let rssiShape = "the weakest signal in dBm, from -127 to 20"
  static let manufacturerShape = "a company's number such as 0x004c, with data as in 0x004c:0215"
  static let serviceDataShape = "a service such as feaa, with data as in feaa:00"
  static let rssiRange = -127...20

  /// What is captured of the devices that were found.
  static func value(of found: [Advertisement]) -> DecodedValue {
    .fields([
      .init("count", .integer(Int64(found.count))),
      .init("devices", .list(found.map { .text($0.name ?? "\($0.address)") })),
    ])
  }

  /// The names of that value's fields.
  static let fields = ["count", "devices"]
}

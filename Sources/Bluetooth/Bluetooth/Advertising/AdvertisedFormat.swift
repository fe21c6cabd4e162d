// Well-known formats of manufacturer data and service data.
//
// Each format has its own file. Data that is malformed, encrypted or unknown is not decoded: it
// stays bytes.

/// Advertised data in a well-known format, decoded.
///
/// ```swift
/// for data in advertisement.manufacturerData {
///   print(AdvertisedFormat(company: data.company, data.data)?.description ?? "\(data.data)")
/// }
/// ```
public struct AdvertisedFormat: Equatable, Sendable, CustomStringConvertible {
  /// The known formats.
  public enum Kind: String, Sendable, CaseIterable {
    /// Apple's iBeacon: UUID, major, minor, power.
    case iBeacon = "ibeacon"
    /// AltBeacon: an open beacon format for any company.
    case altBeacon = "altbeacon"
    /// Eddystone: a namespace and an instance.
    case eddystoneUID = "eddystone-uid"
    /// Eddystone: a URL.
    case eddystoneURL = "eddystone-url"
    /// Eddystone: the state of the beacon, not encrypted.
    case eddystoneTLM = "eddystone-tlm"
    /// Eddystone: an identifier that changes.
    case eddystoneEID = "eddystone-eid"
    /// RuuviTag, data format 3 (RAWv1).
    case ruuvi3 = "ruuvi-3"
    /// RuuviTag, data format 5 (RAWv2).
    case ruuvi = "ruuvi-5"
    /// Ruuvi Air, data format 6.
    case ruuvi6 = "ruuvi-6"
    /// Ruuvi Air, data format E1, in an extended advertisement.
    case ruuviE1 = "ruuvi-e1"
    /// A thermometer with the firmware ATC_MiThermometer, in its first format.
    case atc = "atc"
    /// The format that pvvx added to that firmware.
    case pvvx = "pvvx"
    /// BTHome version 1, not encrypted.
    case btHome1 = "bthome-1"
    /// BTHome version 2.
    case btHome = "bthome-2"
    /// Xiaomi's MiBeacon.
    case miBeacon = "mibeacon"
  }

  /// The format; nil for one that a user describes.
  public let kind: Kind?
  /// The name of the format, or of its description.
  public let name: String
  /// The decoded fields, in the order in which they are sent. A quantity out of its range, such as
  /// a battery of 200 %, is bytes.
  public let value: DecodedValue
  /// The reasons why fields are bytes; empty if all are in their ranges.
  public let problems: [ValueError]

  init(_ kind: Kind, _ fields: [AdvertisedField]) {
    self.kind = kind
    name = kind.rawValue
    var problems: [ValueError] = []
    value = .fields(fields.map { $0.checked(&problems) })
    self.problems = problems
  }

  /// Decodes data as a user describes it; nil where it does not have that format.
  init?(_ description: ValueDescription, _ data: [UInt8]) {
    guard let decoded = try? description.decode(data) else { return nil }
    kind = nil
    name = description.name
    if case .fields = decoded {
      value = decoded
    } else {
      value = .fields([.init("value", decoded)])
    }
    problems = []
  }

  /// Decodes manufacturer data; nil when it has none of the formats.
  ///
  /// ```swift
  /// let formats = advertisement.manufacturerData.compactMap {
  ///   AdvertisedFormat(company: $0.company, $0.data)
  /// }
  /// ```
  public init?(company: UInt16, _ data: [UInt8]) {
    guard
      let decoded = Beacons.iBeacon(company, data) ?? Beacons.altBeacon(data)
        ?? Ruuvi.measurements(company, data)
    else { return nil }
    self = decoded
  }

  /// Decodes service data; nil when it has none of the formats, or is encrypted: see
  /// ``Advertisement/reading(of:)``.
  ///
  /// ```swift
  /// for data in advertisement.serviceData {
  ///   if let format = AdvertisedFormat(service: data.service, data.data) { print(format) }
  /// }
  /// ```
  public init?(service: BluetoothUUID, _ data: [UInt8]) {
    guard
      let decoded = Eddystone.frame(service, data) ?? BTHome.data(service, data)
        ?? BTHome.version1(service, data) ?? Thermometers.measurements(service, data)
        ?? MiBeacon.frame(service, data)
    else { return nil }
    self = decoded
  }

  /// The reasons why fields are bytes, in one line; nil if all are in their ranges.
  public var problem: String? {
    problems.isEmpty ? nil : problems.map(\.description).joined(separator: "; ")
  }

  /// `ibeacon uuid 2f23…, major 1, minor 2, -59 dBm`; after the fields, the reasons why some are
  /// bytes.
  public var description: String {
    let fields = value.description
    let text = fields.isEmpty ? name : "\(name) \(fields)"
    return problem.map { "\(text) (\($0))" } ?? text
  }
}

// The JSON of a device that was found. docs/json.md documents the keys.

public import Bluetooth
public import Documents

extension JSONValue {
  /// Creates the object of a device that was found.
  ///
  /// ```swift
  /// print(JSONValue(advertisement).text)
  /// ```
  public init(_ device: Advertisement) { self = .object(Self.members(of: device)) }

  /// The members of a device's object, to combine with others.
  ///
  /// - Parameter companies: The names of companies; nil omits them.
  public static func members(
    of device: Advertisement, _ companies: (any CompanyNames)? = nil
  ) -> [Member] {
    let members: KeyValuePairs<String, any JSONWritable> = [
      "address": device.address, "addressType": device.addressType.rawValue, "name": device.name,
      "alias": device.alias, "rssi": device.rssi, "txPower": device.txPower,
      "connected": device.isConnected, "paired": device.isPaired,
      "services": device.services.map(\.text),
      "manufacturerData": device.manufacturerData.map { data in
        let format = device.reading(ofCompany: data.company)
        let name = companies.map { Member("companyName", $0.name(of: data.company).json) }
        return JSONValue.object(
          [Member("company", data.company.json)] + (name.map { [$0] } ?? [])
            + [Member("hex", HexText(data.data).json)]
            + Self.members(of: format.map { .decoded($0) })
        )
      },
      "serviceData": device.serviceData.map { data in
        JSONValue.object(
          [Member("service", data.service.text.json), Member("hex", HexText(data.data).json)]
            + Self.members(of: device.reading(of: data.service))
        )
      },
      "adapter": device.adapter,
    ]
    return members.map { Member($0, $1.json) }
  }

  /// The members of data in a well-known format; empty for other data. An invalid value is null,
  /// with the reason.
  private static func members(of data: AdvertisedReading?) -> [Member] {
    switch data {
    case .decoded(let format)?:
      members([
        "format": format.name.json, "value": value(of: format),
        "problem": format.problem?.json,
      ])
    case .encrypted(let kind, let reason)?:
      members(["format": kind.rawValue.json, "problem": "\(reason)".json])
    case nil: []
    }
  }

  private static func value(of format: AdvertisedFormat) -> JSONValue {
    guard case .object(let members) = JSONValue(format.value) else { return .null }
    let invalid = Set(format.problems.map(\.field))
    return .object(members.map { invalid.contains($0.key) ? Member($0.key, .null) : $0 })
  }
}

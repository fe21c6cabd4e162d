// A device that was found, as JSON. The keys are documented in docs/json.md.

public import Bluetooth
public import Documents

extension JSONValue {
  /// A device that was found, as an object.
  ///
  /// ```swift
  /// print(JSONValue(advertisement).text)
  /// ```
  public init(_ device: Advertisement) { self = .object(Self.members(of: device)) }

  /// The members of that object, for an object with more members.
  ///
  /// - Parameter companies: Adds the names of companies.
  public static func members(
    of device: Advertisement, _ companies: (any CompanyNames)? = nil
  ) -> [Member] {
    let members: KeyValuePairs<String, any JSONWritable> = [
      "address": device.address, "addressType": device.addressType.rawValue, "name": device.name,
      "alias": device.alias, "rssi": device.rssi, "txPower": device.txPower,
      "connected": device.isConnected, "paired": device.isPaired,
      "services": device.services.map(\.text),
      "manufacturerData": device.manufacturerData.map { data in
        let format = AdvertisedFormat(company: data.company, data.data)
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

  /// The data in a well-known format; none where it has no such format. What is no value is null,
  /// with the reason.
  private static func members(of data: AdvertisedReading?) -> [Member] {
    switch data {
    case .decoded(let format)?:
      members([
        "format": format.kind.rawValue.json, "value": value(of: format),
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

// A device that was found, as JSON. The keys are documented in docs/json.md.

public import Bluetooth

extension JSONValue {
  /// A device that was found, as an object.
  ///
  /// ```swift
  /// print(JSONValue(advertisement).text)
  /// ```
  public init(_ device: Advertisement) { self = .object(Self.members(of: device)) }

  /// The members of that object, for an object with more members.
  public static func members(
    of device: Advertisement,
    _ companies: (any CompanyNames)? = nil
  ) -> [(key: String, value: JSONValue)] {
    [
      ("address", .string("\(device.address)")),
      ("addressType", .string(device.addressType.rawValue)),
      ("name", device.name.map { .string($0) } ?? .null),
      ("alias", .string(device.alias)),
      ("rssi", device.rssi.map { JSONValue($0) } ?? .null),
      ("txPower", device.txPower.map { JSONValue($0) } ?? .null),
      ("connected", .boolean(device.isConnected)),
      ("paired", .boolean(device.isPaired)),
      ("services", .array(device.services.map { .string($0.text) })),
      (
        "manufacturerData",
        .array(
          device.manufacturerData.map { data in
            var members = [("company", JSONValue(Int(data.company)))]
            if let companies {
              let name = companies.name(of: data.company)
              members.append(("companyName", name.map { .string($0) } ?? .null))
            }
            members.append(("hex", hex(data.data)))
            let format = AdvertisedFormat(company: data.company, data.data)
            return .object(members + Self.members(of: format.map { .decoded($0) }))
          }
        )
      ),
      (
        "serviceData",
        .array(
          device.serviceData.map { data in
            .object(
              [("service", .string(data.service.text)), ("hex", hex(data.data))]
                + Self.members(of: device.reading(of: data.service))
            )
          }
        )
      ),
      ("adapter", .string(device.adapter)),
    ]
  }

  /// The data in a well-known format; none where it has no such format. What is no value is null,
  /// with the reason.
  private static func members(of data: AdvertisedReading?) -> [(key: String, value: JSONValue)] {
    switch data {
    case .decoded(let format)?:
      [("format", .string(format.kind.rawValue)), ("value", value(of: format))]
        + (format.problem.map { [("problem", .string($0))] } ?? [])
    case .encrypted(let kind, let reason)?:
      [("format", .string(kind.rawValue)), ("problem", .string("\(reason)"))]
    case nil: []
    }
  }

  private static func value(of format: AdvertisedFormat) -> JSONValue {
    guard case .object(let members) = JSONValue(format.value) else { return .null }
    let invalid = Set(format.problems.map(\.field))
    return .object(members.map { invalid.contains($0.key) ? ($0.key, .null) : $0 })
  }

  private static func hex(_ octets: [UInt8]) -> JSONValue {
    .string(DecodedValue.octets(octets).description)
  }
}

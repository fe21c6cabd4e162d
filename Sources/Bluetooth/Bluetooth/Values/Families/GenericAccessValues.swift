// Values of the Generic Access and Generic Attribute services.

/// - Source: Bluetooth Core 5.4, Vol 3, Part C §12 (Generic Access) and Part G §7 (Generic
///   Attribute).
enum GenericAccessValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a00, deviceName), (0x2a01, appearance), (0x2a04, connectionParameters),
    (0x2a05, serviceChanged), (0x2aa6, addressResolution), (0x2ac9, resolvableOnly),
    (0x2b29, clientFeatures), (0x2b2a, databaseHash), (0x2b3a, serverFeatures),
  ]

  static let deviceName = ValueLayout(bare: "text", .text)

  /// The name of the appearance, such as `heart rate sensor: belt`.
  static let appearance = ValueLayout(bare: "appearance", .named(octets: 2, Appearance.names))

  /// The connection parameters that the device prefers.
  ///
  /// Intervals in ms, the timeout in s; each is "any" when the device has no preference (0xffff).
  /// The latency counts the connection events that the device may skip.
  static let connectionParameters = ValueLayout(
    "preferred connection parameters",
    [
      .field("shortest-interval", .unsigned(2, step: 125, over: 100, [0xffff: "any"]), "ms"),
      .field("longest-interval", .unsigned(2, step: 125, over: 100, [0xffff: "any"]), "ms"),
      .field("latency", .u16),
      .field("timeout", .unsigned(2, step: 1, over: 100, [0xffff: "any"]), "s"),
    ]
  )

  /// The range of attribute handles that changed.
  static let serviceChanged = ValueLayout(
    "service changed", [.field("first", .u16), .field("last", .u16)]
  )

  static let addressResolution = ValueLayout(
    bare: "address-resolution", .named(["not supported", "supported"])
  )

  /// Whether the device uses resolvable private addresses only.
  static let resolvableOnly = ValueLayout(bare: "resolvable-addresses-only", .named(["yes"]))

  /// The features of a client.
  static let clientFeatures = ValueLayout(
    "client supported features",
    [
      .split(
        "features", octets: 1,
        BitField.flags(["robust-caching", "enhanced-att", "multiple-notifications"])
      )
    ]
  )

  /// The features of a server.
  static let serverFeatures = ValueLayout(
    "server supported features", [.split("features", octets: 1, BitField.flags(["enhanced-att"]))]
  )

  /// AES-CMAC over the structure of the attributes.
  static let databaseHash = ValueLayout(bare: "hash", .octets(16))
}

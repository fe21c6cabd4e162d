// Values of the Generic Access and Generic Attribute services.

/// - Source: Bluetooth Core 5.4, Vol 3, Part C §12 (Generic Access) and Part G §7 (Generic
///   Attribute).
enum GenericAccessValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a00, deviceName), (0x2a01, appearance), (0x2a04, connectionParameters),
    (0x2a05, serviceChanged), (0x2aa6, addressResolution),
  ]

  static let deviceName = ValueLayout(bare: "text", .text)

  /// The name of the appearance, such as `heart rate sensor: belt`.
  static let appearance = ValueLayout(bare: "appearance", .named(octets: 2, Appearance.names))

  /// What the device would like the connection to be.
  ///
  /// Intervals in ms, the time-out in s; each is "any" when the device does not care (0xffff). The latency counts connection events that the device may leave out.
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
    "service changed",
    [.field("first", .u16), .field("last", .u16)]
  )

  static let addressResolution = ValueLayout(
    bare: "address resolution",
    .named(["not supported", "supported"])
  )
}

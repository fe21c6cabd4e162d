// The types of the values of GenericAccessValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: preferred connection parameters.
public struct PreferredConnectionParameters: Hashable, Sendable {
  /// `shortest-interval`, in ms.
  public var shortestInterval: Quantity<Double>
  /// `longest-interval`, in ms.
  public var longestInterval: Quantity<Double>
  /// `latency`.
  public var latency: Int
  /// `timeout`, in s.
  public var timeout: Quantity<Double>

  /// A value with these fields.
  public init(
    shortestInterval: Quantity<Double>,
    longestInterval: Quantity<Double>,
    latency: Int,
    timeout: Quantity<Double>
  ) {
    self.shortestInterval = shortestInterval
    self.longestInterval = longestInterval
    self.latency = latency
    self.timeout = timeout
  }
}

extension PreferredConnectionParameters: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    shortestInterval = try fields.value("shortest-interval")
    longestInterval = try fields.value("longest-interval")
    latency = try fields.value("latency")
    timeout = try fields.value("timeout")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("shortest-interval", shortestInterval),
      field("longest-interval", longestInterval),
      field("latency", latency),
      field("timeout", timeout),
    ]
  }
}

/// The fields of: service changed.
public struct ServiceChanged: Hashable, Sendable {
  /// `first`.
  public var first: Int
  /// `last`.
  public var last: Int

  /// A value with these fields.
  public init(
    first: Int,
    last: Int
  ) {
    self.first = first
    self.last = last
  }
}

extension ServiceChanged: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    first = try fields.value("first")
    last = try fields.value("last")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("first", first),
      field("last", last),
    ]
  }
}

/// The fields of: client supported features.
public struct ClientSupportedFeatures: Hashable, Sendable {
  /// `robust-caching`.
  public var robustCaching: Bool
  /// `enhanced-att`.
  public var enhancedAtt: Bool
  /// `multiple-notifications`.
  public var multipleNotifications: Bool
  /// `further`; nil when it is not sent.
  public var further: [UInt8]?

  /// A value with these fields.
  public init(
    robustCaching: Bool = false,
    enhancedAtt: Bool = false,
    multipleNotifications: Bool = false,
    further: [UInt8]? = nil
  ) {
    self.robustCaching = robustCaching
    self.enhancedAtt = enhancedAtt
    self.multipleNotifications = multipleNotifications
    self.further = further
  }
}

extension ClientSupportedFeatures: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    robustCaching = try fields.value("robust-caching")
    enhancedAtt = try fields.value("enhanced-att")
    multipleNotifications = try fields.value("multiple-notifications")
    further = try fields.optional("further")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("robust-caching", robustCaching),
      field("enhanced-att", enhancedAtt),
      field("multiple-notifications", multipleNotifications),
      field("further", further),
    ]
  }
}

/// The fields of: server supported features.
public struct ServerSupportedFeatures: Hashable, Sendable {
  /// `enhanced-att`.
  public var enhancedAtt: Bool
  /// `further`; nil when it is not sent.
  public var further: [UInt8]?

  /// A value with these fields.
  public init(
    enhancedAtt: Bool = false,
    further: [UInt8]? = nil
  ) {
    self.enhancedAtt = enhancedAtt
    self.further = further
  }
}

extension ServerSupportedFeatures: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    enhancedAtt = try fields.value("enhanced-att")
    further = try fields.optional("further")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("enhanced-att", enhancedAtt),
      field("further", further),
    ]
  }
}

extension Characteristic where Value == String {
  /// Device Name.
  public static var deviceName: Self { .standard(0x2a00) }
}

extension Characteristic where Value == String {
  /// Appearance.
  public static var appearance: Self { .standard(0x2a01) }
}

extension Characteristic where Value == PreferredConnectionParameters {
  /// Peripheral Preferred Connection Parameters.
  public static var peripheralPreferredConnectionParameters: Self { .standard(0x2a04) }
}

extension Characteristic where Value == ServiceChanged {
  /// Service Changed.
  public static var serviceChanged: Self { .standard(0x2a05) }
}

extension Characteristic where Value == String {
  /// Central Address Resolution.
  public static var centralAddressResolution: Self { .standard(0x2aa6) }
}

extension Characteristic where Value == String {
  /// Resolvable Private Address Only.
  public static var resolvablePrivateAddressOnly: Self { .standard(0x2ac9) }
}

extension Characteristic where Value == ClientSupportedFeatures {
  /// Client Supported Features.
  public static var clientSupportedFeatures: Self { .standard(0x2b29) }
}

extension Characteristic where Value == [UInt8] {
  /// Database Hash.
  public static var databaseHash: Self { .standard(0x2b2a) }
}

extension Characteristic where Value == ServerSupportedFeatures {
  /// Server Supported Features.
  public static var serverSupportedFeatures: Self { .standard(0x2b3a) }
}

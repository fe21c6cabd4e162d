// The types of the values of DeviceInformationValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: system ID.
public struct SystemID: Hashable, Sendable {
  /// `manufacturer`.
  public var manufacturer: Int
  /// `organization`.
  public var organization: Int

  /// A value with these fields.
  public init(
    manufacturer: Int,
    organization: Int
  ) {
    self.manufacturer = manufacturer
    self.organization = organization
  }
}

extension SystemID: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    manufacturer = try fields.value("manufacturer")
    organization = try fields.value("organization")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("manufacturer", manufacturer),
      field("organization", organization),
    ]
  }
}

/// The fields of: PnP ID.
public struct PnPID: Hashable, Sendable {
  /// `source`.
  public var source: String
  /// `vendor`.
  public var vendor: Int
  /// `product`.
  public var product: Int
  /// `version`.
  public var version: Int

  /// A value with these fields.
  public init(
    source: String,
    vendor: Int,
    product: Int,
    version: Int
  ) {
    self.source = source
    self.vendor = vendor
    self.product = product
    self.version = version
  }
}

extension PnPID: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    source = try fields.value("source")
    vendor = try fields.value("vendor")
    product = try fields.value("product")
    version = try fields.value("version")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("source", source),
      field("vendor", vendor),
      field("product", product),
      field("version", version),
    ]
  }
}

extension Characteristic where Value == SystemID {
  /// System ID.
  public static var systemID: Self { .standard(0x2a23) }
}

extension Characteristic where Value == String {
  /// Model Number String.
  public static var modelNumberString: Self { .standard(0x2a24) }
}

extension Characteristic where Value == String {
  /// Serial Number String.
  public static var serialNumberString: Self { .standard(0x2a25) }
}

extension Characteristic where Value == String {
  /// Firmware Revision String.
  public static var firmwareRevisionString: Self { .standard(0x2a26) }
}

extension Characteristic where Value == String {
  /// Hardware Revision String.
  public static var hardwareRevisionString: Self { .standard(0x2a27) }
}

extension Characteristic where Value == String {
  /// Software Revision String.
  public static var softwareRevisionString: Self { .standard(0x2a28) }
}

extension Characteristic where Value == String {
  /// Manufacturer Name String.
  public static var manufacturerNameString: Self { .standard(0x2a29) }
}

extension Characteristic where Value == [UInt8] {
  /// IEEE 11073-20601 Regulatory Certification Data List.
  public static var ieee1107320601RegulatoryCertificationDataList: Self { .standard(0x2a2a) }
}

extension Characteristic where Value == PnPID {
  /// PnP ID.
  public static var pnpID: Self { .standard(0x2a50) }
}

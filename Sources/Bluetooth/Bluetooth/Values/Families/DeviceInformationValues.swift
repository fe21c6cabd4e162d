// Values of the Device Information service.

/// - Source: Device Information Service 1.1, §3; GATT Specification Supplement, "System ID",
///   "PnP ID", "IEEE 11073-20601 Regulatory Certification Data List".
enum DeviceInformationValues {
  static let all: [(short: UInt16, layout: ValueLayout)] =
    [(0x2a23, systemID)]
    + (0x2a24...0x2a29).map { ($0, text) }
    + [(0x2a2a, regulatoryList), (0x2a50, pnpID)]

  /// Model number, serial number, firmware, hardware and software revision, and manufacturer name.
  static let text = ValueLayout(bare: "text", .text)

  /// A 40-bit manufacturer-defined identifier and a 24-bit organizationally unique identifier.
  static let systemID = ValueLayout(
    "system ID", [.field("manufacturer", .unsigned(5)), .field("organization", .u24)]
  )

  /// The vendor ID source: 1 for the Bluetooth SIG, 2 for the USB Implementer's Forum.
  static let pnpID = ValueLayout(
    "PnP ID",
    [
      .field("source", .named([1: "Bluetooth", 2: "USB"])),
      .field("vendor", .u16),
      .field("product", .u16),
      .field("version", .u16),
    ]
  )

  /// The list as octets: its format is defined by IEEE 11073-20601.
  static let regulatoryList = ValueLayout(bare: "list", .rest)
}

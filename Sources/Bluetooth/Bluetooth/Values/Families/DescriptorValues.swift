// Values of descriptors.

/// - Source: Bluetooth Core 5.4, Vol 3, Part G §3.3.3; GATT Specification Supplement, "Valid
///   Range", "External Report Reference", "Report Reference", "Number of Digitals".
enum DescriptorValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2900, extendedProperties), (0x2901, userDescription), (0x2902, clientConfiguration),
    (0x2903, serverConfiguration), (0x2904, presentationFormat), (0x2906, validRange),
    (0x2907, externalReport), (0x2908, report), (0x2909, digitals),
  ]

  static let extendedProperties = ValueLayout(
    "extended properties",
    [.split("properties", octets: 2, BitField.flags(["reliable-write", "writable-auxiliaries"]))]
  )

  static let userDescription = ValueLayout(bare: "text", .text)

  static let clientConfiguration = ValueLayout(
    bare: "configuration",
    .named(
      octets: 2,
      Names(
        [0: "off", 1: "notifications", 2: "indications", 3: "notifications, indications"],
        isOpen: true
      )
    )
  )

  static let serverConfiguration = ValueLayout(
    "server characteristic configuration",
    [.split("configuration", octets: 2, BitField.flags(["broadcast"]))]
  )

  /// The presentation of the characteristic's value: format, exponent of ten, unit.
  ///
  /// The unit is an assigned number, with a name if it is a common one.
  static let presentationFormat = ValueLayout(
    "presentation format",
    [
      .field("format", .named(formats, isOpen: true)),
      .field("exponent", .i8),
      .field("unit", .named(octets: 2, PresentationUnit.names)),
      .field("namespace", .named([1: "Bluetooth SIG"], isOpen: true)),
      .field("description", .u16),
    ]
  )

  /// Two values in the format of the characteristic, as octets.
  static let validRange = ValueLayout(
    "valid range", [.field("lower", .half), .field("upper", .rest)]
  )

  /// The 16-bit UUID of the characteristic that another service includes in its reports.
  static let externalReport = ValueLayout("uuid", .u16)

  static let report = ValueLayout(
    "report reference",
    [
      .field("report", .u8),
      .field("type", .named([1: "input", 2: "output", 3: "feature"])),
    ]
  )

  static let digitals = ValueLayout("digitals", .u8)

  /// - Source: Bluetooth Assigned Numbers, "Characteristic Presentation Format: Format types".
  private static let formats: KeyValuePairs<UInt64, String> = [
    1: "boolean", 2: "2-bit", 3: "nibble", 4: "u8", 5: "u12", 6: "u16", 7: "u24", 8: "u32",
    9: "u48", 10: "u64", 11: "u128", 12: "i8", 13: "i12", 14: "i16", 15: "i24", 16: "i32",
    17: "i48", 18: "i64", 19: "i128", 20: "f32", 21: "f64", 22: "SFLOAT", 23: "FLOAT",
    24: "two u16", 25: "utf8", 26: "utf16", 27: "structure", 28: "medical structure",
  ]
}

// Commands to a device that stores records, and its responses.

/// - Source: GATT Specification Supplement, "Record Access Control Point"; Glucose Service 1.0.1,
///   §3.4 (filter types, and the number of records in two octets).
enum RecordAccessValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [(0x2a52, controlPoint)]

  /// Fields `procedure` and `operator`; then `filter` and `operand` for a request that has them,
  /// `records` for a count, `request` and `result` for a response.
  ///
  /// The operand is octets: a sequence number (2) or a date and time (7); two of them for a range.
  static let controlPoint = ValueLayout(
    "record access control point",
    [
      .selector("procedure", procedures),
      .field("operator", .named(operators)),
      .field("filter", .named([1: "sequence number", 2: "time"]), nil, .ifMoreFor([1, 2, 4])),
      .field("operand", .rest, nil, .ifMoreFor([1, 2, 4])),
      .field("records", .u16, nil, .oneOf([5])),
      .field("request", .named(procedures, isOpen: true), nil, .oneOf([6])),
      .field("result", .named(results, isOpen: true), nil, .oneOf([6])),
      .field("parameter", .rest, nil, .noneOf([1, 2, 3, 4, 5, 6])),
    ]
  )

  private static let procedures: KeyValuePairs<UInt64, String> = [
    1: "report records", 2: "delete records", 3: "abort", 4: "count records", 5: "record count",
    6: "response",
  ]

  private static let operators = [
    "none", "all records", "at most", "at least", "within", "first record", "last record",
  ]

  private static let results: KeyValuePairs<UInt64, String> = [
    1: "success", 2: "procedure not supported", 3: "invalid operator",
    4: "operator not supported", 5: "invalid operand", 6: "no records found",
    7: "abort unsuccessful", 8: "procedure not completed", 9: "operand not supported",
  ]
}

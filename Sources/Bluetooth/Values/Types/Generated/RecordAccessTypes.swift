// The types of the values of RecordAccessValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: record access control point.
public struct RecordAccessControlPoint: Hashable, Sendable {
  /// `procedure`.
  public var procedure: String
  /// `operator`.
  public var `operator`: String
  /// `filter`; nil when it is not sent.
  public var filter: String?
  /// `operand`; nil when it is not sent.
  public var operand: [UInt8]?
  /// `records`; nil when it is not sent.
  public var records: Int?
  /// `request`; nil when it is not sent.
  public var request: String?
  /// `result`; nil when it is not sent.
  public var result: String?
  /// `parameter`; nil when it is not sent.
  public var parameter: [UInt8]?

  /// A value with these fields.
  public init(
    procedure: String,
    `operator`: String,
    filter: String? = nil,
    operand: [UInt8]? = nil,
    records: Int? = nil,
    request: String? = nil,
    result: String? = nil,
    parameter: [UInt8]? = nil
  ) {
    self.procedure = procedure
    self.`operator` = `operator`
    self.filter = filter
    self.operand = operand
    self.records = records
    self.request = request
    self.result = result
    self.parameter = parameter
  }
}

extension RecordAccessControlPoint: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    procedure = try fields.value("procedure")
    `operator` = try fields.value("operator")
    filter = try fields.optional("filter")
    operand = try fields.optional("operand")
    records = try fields.optional("records")
    request = try fields.optional("request")
    result = try fields.optional("result")
    parameter = try fields.optional("parameter")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("procedure", procedure),
      field("operator", `operator`),
      field("filter", filter),
      field("operand", operand),
      field("records", records),
      field("request", request),
      field("result", result),
      field("parameter", parameter),
    ]
  }
}

extension Characteristic where Value == RecordAccessControlPoint {
  /// Record Access Control Point.
  public static var recordAccessControlPoint: Self { .standard(0x2a52) }
}

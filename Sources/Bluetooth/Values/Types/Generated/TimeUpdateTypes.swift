// The types of the values of TimeUpdateValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: time update state.
public struct TimeUpdateState: Hashable, Sendable {
  /// `state`.
  public var state: String
  /// `result`.
  public var result: String

  /// A value with these fields.
  public init(
    state: String,
    result: String
  ) {
    self.state = state
    self.result = result
  }
}

extension TimeUpdateState: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    state = try fields.value("state")
    result = try fields.value("result")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("state", state),
      field("result", result),
    ]
  }
}

extension Characteristic where Value == String {
  /// Time Update Control Point.
  public static var timeUpdateControlPoint: Self { .standard(0x2a16) }
}

extension Characteristic where Value == TimeUpdateState {
  /// Time Update State.
  public static var timeUpdateState: Self { .standard(0x2a17) }
}

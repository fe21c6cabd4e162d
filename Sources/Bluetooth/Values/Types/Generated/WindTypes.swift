// The types of the values of WindValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

extension Characteristic where Value == Double {
  /// True Wind Speed, in m/s.
  public static var trueWindSpeed: Self { .standard(0x2a70) }
}

extension Characteristic where Value == Double {
  /// True Wind Direction, in °.
  public static var trueWindDirection: Self { .standard(0x2a71) }
}

extension Characteristic where Value == Double {
  /// Apparent Wind Speed, in m/s.
  public static var apparentWindSpeed: Self { .standard(0x2a72) }
}

extension Characteristic where Value == Double {
  /// Apparent Wind Direction, in °.
  public static var apparentWindDirection: Self { .standard(0x2a73) }
}

extension Characteristic where Value == Double {
  /// Gust Factor.
  public static var gustFactor: Self { .standard(0x2a74) }
}

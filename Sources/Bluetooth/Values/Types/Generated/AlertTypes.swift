// The types of the values of AlertValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

extension Characteristic where Value == String {
  /// Alert Level.
  public static var alertLevel: Self { .standard(0x2a06) }
}

extension Characteristic where Value == Int {
  /// Tx Power Level, in dBm.
  public static var txPowerLevel: Self { .standard(0x2a07) }
}

// Values of wind, of the Environmental Sensing service.

/// - Source: GATT Specification Supplement, "True Wind Speed", "True Wind Direction", "Apparent
///   Wind Speed", "Apparent Wind Direction", "Gust Factor".
enum WindValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a70, speed), (0x2a71, direction), (0x2a72, speed), (0x2a73, direction),
    (0x2a74, gustFactor),
  ]

  static let speed = ValueLayout("speed", .unsigned(2, over: 100), "m/s")
  /// The direction that the wind comes from: 0° is true north, or the heading of the observer.
  static let direction = ValueLayout("direction", .unsigned(2, over: 100), "°", in: 0...359.99)
  /// The ratio of the gusts to the mean wind speed.
  static let gustFactor = ValueLayout("factor", .unsigned(1, over: 10))
}

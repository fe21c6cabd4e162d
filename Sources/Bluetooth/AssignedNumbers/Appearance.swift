// The Appearance characteristic: what kind of device it is.
//
// The tables are in the files beside this one.

/// The names of the appearance values: a category in the upper ten bits, and a kind of it.
///
/// - Source: Bluetooth Assigned Numbers, "Appearance Values".
public enum Appearance {
  /// A category and its kinds, which are numbered from 1.
  struct Category: Sendable {
    let number: UInt16
    let name: String
    let kinds: [String?]

    init(_ number: UInt16, _ name: String, _ kinds: [String?] = []) {
      self.number = number
      self.name = name
      self.kinds = kinds
    }

    /// Every value of the category, with its name.
    var values: [(number: UInt64, name: String)] {
      let first = UInt64(number) << 6
      let named = kinds.enumerated().compactMap { index, kind in
        kind.map { (first + UInt64(index) + 1, "\(name): \($0)") }
      }
      return [(first, name)] + named
    }
  }

  /// "Heart Rate Sensor", or "Heart Rate Sensor: Heart Rate Belt"; nil for an unassigned value.
  ///
  /// ```swift
  /// print(Appearance.name(0x0340) ?? "unassigned")  // Heart Rate Sensor
  /// ```
  public static func name(_ value: UInt16) -> String? { names.known(UInt64(value)) }

  /// The value for a name that ``name(_:)`` returns; nil for other texts.
  ///
  /// ```swift
  /// print(Appearance.value(named: "Heart Rate Sensor") == 0x0340)  // true
  /// ```
  public static func value(named name: String) -> UInt16? {
    names.number(name).flatMap { UInt16(exactly: $0) }
  }

  static let names = Names(pairs: all)

  private static let all = (categories0To27 + categoriesFrom28).flatMap(\.values)
}

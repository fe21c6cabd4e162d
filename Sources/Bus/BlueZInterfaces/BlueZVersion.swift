// BlueZ releases, which differ in their D-Bus interfaces.

/// A release of BlueZ: 5.66.
public struct BlueZVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let major: Int
  public let minor: Int

  public init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// The release in Debian 12.
  public static let debian12 = BlueZVersion(5, 66)
  /// The release in Debian 13.
  public static let debian13 = BlueZVersion(5, 82)
  /// The releases whose bluetoothd was compared with the simulated one, message by message.
  public static let compared = [debian12, debian13]
  /// The release that is simulated unless another one is chosen.
  public static let usual = debian13

  public static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  public var description: String { "\(major).\(minor)" }
}

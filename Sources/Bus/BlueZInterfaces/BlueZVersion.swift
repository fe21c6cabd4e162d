// BlueZ releases, which differ in their D-Bus interfaces.

/// A release of BlueZ: 5.66.
public struct BlueZVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let major: Int
  public let minor: Int

  public init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// The release in Debian 12, all of whose messages were recorded.
  public static let recorded = BlueZVersion(5, 66)
  public static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  public var description: String { "\(major).\(minor)" }
}

// What a service tells while it works, for people who watch.

/// Something worth knowing that is no failure.
public enum ServiceNotice: Hashable, Sendable, CustomStringConvertible {
  /// An attempt to connect failed; this one follows.
  case trying(again: Int, of: Int, String)
  /// The attempt of another program is ended, because that was asked for.
  case takingOver
  /// The attempt that a killed run left is ended.
  case endingStale
  /// The device is forgotten although it is paired.
  case losingBond

  public var description: String {
    switch self {
    case .trying(let attempt, let most, let why):
      "connecting: \(why); attempt \(attempt) of \(most) follows"
    case .takingOver: "connecting: ending the attempt of another program"
    case .endingStale: "connecting: ending the attempt that a killed run left"
    case .losingBond:
      "the bond with the device is lost with --fresh: pair again where the device wants it"
    }
  }
}

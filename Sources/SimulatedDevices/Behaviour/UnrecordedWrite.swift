// Writes to a device from a recording that nobody has recorded.

/// What a write brings about that no rule of `responses` matches.
public enum UnrecordedWrite: String, CaseIterable, Sendable, Hashable {
  /// It is accepted, and nothing follows.
  case accept
  /// It is refused with Request Not Supported, also by a constant value.
  case refuse
  /// It has the consequences of the nearest value that a rule names; accepted where no rule does.
  case nearest
}

/// A rule of `responses` that no write has matched.
public struct UnusedResponse: Hashable, Sendable, CustomStringConvertible {
  /// The name of the device, or its address.
  public let device: String
  /// The characteristic, as it is written in device files.
  public let characteristic: String
  /// The index of the rule among those of the characteristic, from 1.
  public let index: Int
  /// The values that the rule is for.
  public let pattern: ResponseRule.Pattern

  /// A sentence without its full stop.
  public var description: String {
    "\(device): response \(index) of \(characteristic), to \(pattern), was never used"
  }
}

// What a step is doing, for errors.

import Bluetooth

extension PlacedStep {
  /// The step by its place: "step 4[7].2", or "connecting" where it is implied.
  var title: String {
    position == .impliedConnect || position == .impliedDisconnect ? step.doing : "step \(position)"
  }

  /// Whether it is no step of the chain as written.
  public var isImplied: Bool {
    position == .impliedConnect || position == .impliedDisconnect
  }
}

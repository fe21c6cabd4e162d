// The outcome and the failure of a step as members of an object.

import Bluetooth

extension JSONValue {
  /// The keys of an outcome, as in the `step-finished` events of chains.
  ///
  /// - Parameters:
  ///   - outcome: What came of the step.
  ///   - withOctets: Whether the value came in octets.
  public static func members(
    of outcome: StepOutcome?,
    withOctets: Bool
  ) -> [(key: String, value: JSONValue)] {
    var members = EventMembers()
    members.add(outcome, withOctets: withOctets)
    return members.list
  }

  /// The key `error` of a failure; empty without one.
  public static func members(of failure: RunFailure?) -> [(key: String, value: JSONValue)] {
    var members = EventMembers()
    members.add(failure)
    return members.list
  }
}

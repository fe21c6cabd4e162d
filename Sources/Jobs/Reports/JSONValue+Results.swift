// What a step brought and why it failed, as members of an object: for reports of other runs.

import Bluetooth

extension JSONValue {
  /// The keys of an outcome, as in the `step-finished` events of chains.
  ///
  /// - Parameter withOctets: Whether the value came in octets.
  public static func members(
    of outcome: StepOutcome?,
    withOctets: Bool
  ) -> [(key: String, value: JSONValue)] {
    var members = EventMembers()
    members.add(outcome, withOctets: withOctets)
    return members.list
  }

  /// The key `error` of a failure; nothing where there is none.
  public static func members(of failure: RunFailure?) -> [(key: String, value: JSONValue)] {
    var members = EventMembers()
    members.add(failure)
    return members.list
  }
}

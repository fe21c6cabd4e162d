// The server's text about a refusal, as nats-server 2.9 and libnats 3.4 report it.

import FleetNATS
import Testing

@Suite("Refusals by the server")
struct PermissionViolationTests {
  @Test(
    "the text names the action and the subject",
    arguments: [
      (
        "Permissions Violation for Publish to \"$KV.x.a\"", PermissionViolation.Action.publish,
        "$KV.x.a"
      ),
      ("nats: Permissions Violation for Publish to \"a.b\"", .publish, "a.b"),
      (
        "Permissions Violation for Subscription to \"blerun.hall.>\" using queue \"q\"", .subscribe,
        "blerun.hall.>"
      ),
    ]
  )
  func text(_ text: String, action: PermissionViolation.Action, subject: String) {
    let violation = PermissionViolation(text)
    #expect(violation?.action == action && violation?.subject == subject)
  }

  @Test(
    "another error is none",
    arguments: [
      "Slow Consumer", "", "Permissions Violation for Publish to", "Authorization Violation",
    ]
  )
  func other(_ text: String) { #expect(PermissionViolation(text) == nil) }
}

// Passkeys in the wrong place are not repeated.

import Testing

@testable import Jobs

@Suite("Masking of possible passkeys")
struct MaskedPasskeyTests {
  static let texts = [
    ("unexpected 'passkey=739156'", "unexpected 'passkey=******'"),
    ("unexpected 'pasky=739156'", "unexpected 'pasky=******'"),
    ("pin: \"0421\"", "pin: \"****\""),
    (
      "expected one of passkey, confirm, found '739156'",
      "expected one of passkey, confirm, found '******'"
    ),
    ("run 12, process 4711, uses the device", "run 12, process 4711, uses the device"),
    ("nats://127.0.0.1:4222", "nats://127.0.0.1:4222"),
    ("passkey: 12 of 345", "passkey: 12 of 345"),
  ]

  @Test("possible passkeys are replaced by asterisks, and other numbers are kept", arguments: texts)
  func masked(text: String, shown: String) { #expect(text.withoutPasskeys == shown) }
}

// A secret is used and never shown.

import Bluetooth
import Testing

@Suite("Secrets")
struct SecretTests {
  struct Holder {
    let secret: Secret
    let list: [Secret]
    let maybe: Secret?
  }

  @Test("no description, dump or mirror of a secret or its container reveals the secret")
  func hidden() {
    let secret = Secret("271828")
    let holder = Holder(secret: secret, list: [secret], maybe: secret)
    let answers = PairingAnswers(secret: secret)
    let reply = PairingReply.secret(secret)
    var dumped = ""
    dump(holder, to: &dumped)
    dump(answers, to: &dumped)
    let texts = [
      "\(secret)", String(reflecting: secret), "\(holder)", String(reflecting: holder),
      "\(answers)", "\(reply)", "\(Mirror(reflecting: secret).children.map(\.value))", dumped,
    ]
    for text in texts { #expect(!text.contains("271828"), "\(text)") }
    #expect("\(secret)" == Secret.mask)
    #expect(secret.revealed == "271828")
  }

  @Test(
    "a passkey has at most six digits",
    arguments: [
      ("0", 0), ("000042", 42), ("999999", 999_999), ("", nil), ("1000000", nil), ("+12345", nil),
      ("12 34", nil), ("١٢٣", nil),
    ] as [(String, UInt32?)]
  )
  func passkeys(text: String, number: UInt32?) {
    #expect(Secret(text).passkey == number)
  }

  @Test("a PIN has 1 to 16 bytes")
  func pins() {
    #expect(!Secret("").isPIN)
    #expect(Secret("0000").isPIN)
    #expect(Secret("1234567890abcdef").isPIN)
    #expect(!Secret("1234567890abcdef0").isPIN)
  }

  @Test("a passkey is printed with six digits")
  func digits() {
    #expect(PairingQuestion.sixDigits(0) == "000000")
    #expect(PairingQuestion.sixDigits(999_999) == "999999")
    #expect(PairingDisplay.passkey(42).digits == "000042")
  }
}

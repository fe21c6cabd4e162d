// Secrets, sessions and limits by address.

import Signals
import Testing

@testable import WebServer

@Suite("Credentials")
struct CredentialsTests {
  private func instant(_ seconds: Int) -> Instant { Instant(sinceStart: .seconds(seconds)) }

  @Test("a secret matches itself and nothing else")
  func secrets() throws {
    let secret = try SecretText("0123456789abcdef")
    #expect(secret.matches("0123456789abcdef"))
    for other in ["", "0123456789abcde", "0123456789abcdeF", "0123456789abcdef0123456789abcdef"] {
      #expect(!secret.matches(other))
    }
    #expect("\(secret)" == "(secret)")
  }

  @Test("generated secrets differ and are valid tokens")
  func random() throws {
    let secrets = Set((0..<100).map { _ in SecretText.generated().revealed })
    #expect(secrets.count == 100)
    for secret in secrets { #expect(try SecretText(secret).matches(secret)) }
  }

  @Test(
    "a token that is easy to guess or cannot be sent is rejected",
    arguments: [
      "", "short", "0123456789 abcdef", "0123456789abcdé!", String(repeating: "a", count: 257),
    ]
  )
  func badToken(text: String) {
    #expect(throws: WebServerFailure.badToken) { try SecretText(text) }
  }

  @Test("a session expires after its time, and the oldest is ended if there are too many")
  func sessions() {
    let secrets = (0..<3).map { _ in SecretText.generated() }
    var sessions = Sessions(bound: 2, duration: .seconds(10))
    func open(at second: Int) -> [Bool] {
      secrets.map { sessions.contains($0.revealed, at: instant(second)) }
    }
    for (second, secret) in secrets[..<2].enumerated() {
      sessions.begin(secret, at: instant(second))
    }
    #expect(open(at: 9) == [true, true, false])
    #expect(open(at: 10) == [false, true, false])
    sessions.begin(secrets[2], at: instant(9))
    #expect(open(at: 9) == [false, true, true])
    #expect(open(at: 11) == [false, false, true])
  }

  @Test("an address has a small burst, then one action for each pause")
  func rates() {
    var limit = RateLimit(burst: 3, pause: .seconds(10))
    for _ in 0..<3 {
      #expect(!limit.isReached(by: "a", at: .start))
      limit.count("a", at: .start)
    }
    #expect(limit.isReached(by: "a", at: instant(9)))
    #expect(!limit.isReached(by: "b", at: .start))
    #expect(!limit.isReached(by: "a", at: instant(10)))
    limit.count("a", at: instant(10))
    #expect(limit.isReached(by: "a", at: instant(19)))
    for _ in 0..<1000 { limit.count("a", at: instant(20)) }
    #expect(limit.isReached(by: "a", at: instant(29)))
    #expect(!limit.isReached(by: "a", at: instant(30)))
  }

  @Test("addresses beyond the limit share one entry until others expire")
  func manyAddresses() {
    var limit = RateLimit(burst: 1, pause: .seconds(10))
    for number in 0..<RateLimit.addressBound { limit.count("\(number)", at: .start) }
    limit.count("one more", at: instant(1))
    #expect(limit.isReached(by: "yet another", at: instant(5)))
    #expect(limit.isReached(by: "7", at: instant(5)))
    limit.count("new", at: instant(12))
    #expect(!limit.isReached(by: "yet another", at: instant(12)))
    #expect(limit.isReached(by: "new", at: instant(12)))
  }
}

// Access control: tables for the single function that decides.

import Signals
import Testing

@testable import WebServer

/// A request in short, and the decision on it.
private struct Row: Sendable, CustomTestStringConvertible {
  let request: String
  let headers: [String]
  let expected: Expected

  /// A decision without its details.
  enum Expected: Equatable, Sendable {
    case handled, loginForm, logIn, goToLogin
    case refused(AccessDecision.Refusal)
  }

  init(_ request: String, _ headers: [String], _ expected: Expected) {
    self.request = request
    self.headers = headers
    self.expected = expected
  }

  var testDescription: String { "\(request) \(headers)" }

  var head: RequestHead {
    let words = request.split(separator: " ").map(String.init)
    return RequestHead(
      method: words[0], target: words[1],
      headers: headers.map { line in
        let sides = line.split(separator: ":", maxSplits: 1).map(String.init)
        return .init(sides[0].lowercased(), String(sides[1].dropFirst()))
      },
      arrivedAt: "192.168.1.5"
    )
  }
}

private let token = "correct-horse-battery"
private let session = "0123456789abcdef0123456789abcdef"
private let own = "Host: localhost:8080"
private let origin = "Origin: http://localhost:8080"
private let cookie = "Cookie: a=b; session_8080=\(session)"
private let bearer = "Authorization: Bearer \(token)"

@Suite("Access control")
struct AccessDecisionTests {
  private func decide(
    _ row: Row, place: ListeningPlace = .loopback(port: 0), port: UInt16? = 8080,
    isHeldBack: Bool = false
  ) throws -> Row.Expected {
    var sessions = Sessions(bound: 2, duration: .seconds(10))
    sessions.begin(try SecretText(session), at: .start)
    let check = AccessCheck(
      rules: AccessRules(
        place: place, names: [try HostName("ble.example"), try HostName("other.example:8443")],
        token: try SecretText(token), openPaths: ["/style.css"]
      ),
      limits: WebLimits(), port: port, sessions: sessions, now: .start, isHeldBack: isHeldBack
    )
    return switch check.decide(row.head) {
    case .handle: .handled
    case .loginForm: .loginForm
    case .logIn: .logIn
    case .goToLogin: .goToLogin
    case .refuse(let refusal): .refused(refusal)
    }
  }

  @Test(
    "only requests for this host are handled",
    arguments: [
      Row("GET /", [own], .handled), Row("GET /", ["Host: 127.0.0.1:8080"], .handled),
      Row("GET /", ["Host: [::1]:8080"], .handled),
      Row("GET /", ["Host: LOCALHOST.:8080"], .handled),
      Row("HEAD /", [own], .handled),
      Row("GET /", [], .refused(.badHost)), Row("GET /", ["Host: "], .refused(.badHost)),
      Row("GET /", [own, own], .refused(.badHost)),
      Row("GET /", [own, "Host: evil.example"], .refused(.badHost)),
      Row("GET /", ["Host: localhost:8080, evil.example"], .refused(.badHost)),
      Row("GET /", ["Host: evil.example"], .refused(.foreignHost)),
      Row("GET /", ["Host: evil.example:8080"], .refused(.foreignHost)),
      Row("GET /", ["Host: localhost.evil.example:8080"], .refused(.foreignHost)),
      Row("GET /", ["Host: localhost"], .refused(.foreignHost)),
      Row("GET /", ["Host: localhost:8081"], .refused(.foreignHost)),
      Row("GET /", ["Host: 192.168.1.5:8080"], .refused(.foreignHost)),
      Row("GET http://localhost:8080/", [own], .handled),
      Row("GET http://evil.example/", [own], .refused(.badHost)),
      Row("GET http://localhost:8080/", ["Host: evil.example"], .refused(.badHost)),
      Row("GET http://evil.example/", ["Host: evil.example"], .refused(.foreignHost)),
      Row("GET //evil.example/../", [own], .refused(.badTarget)),
    ]
  )
  private func hosts(row: Row) throws {
    #expect(try decide(row) == row.expected)
  }

  @Test(
    "on loopback, reads need nothing; changes need the token and the same origin",
    arguments: [
      Row("POST /x", [own], .refused(.missingOrigin)),
      Row("POST /x", [own, bearer], .refused(.missingOrigin)),
      Row("POST /x", [own, cookie], .refused(.missingOrigin)),
      Row("POST /x", [own, origin], .refused(.missingToken)),
      Row("POST /x", [own, origin, "Accept: text/html"], .refused(.missingToken)),
      Row("POST /x", [own, origin, bearer], .handled),
      Row("POST /x", [own, origin, cookie], .handled),
      Row("DELETE /x", [own, origin, cookie], .handled),
      Row("PUT /x", [own, origin], .refused(.missingToken)),
      Row("POST /x", [own, "Origin: http://localhost:8081", cookie], .refused(.foreignOrigin)),
      Row("POST /x", [own, "Origin: https://localhost:8080", cookie], .refused(.foreignOrigin)),
      Row("POST /x", [own, "Origin: http://127.0.0.1:8080", cookie], .refused(.foreignOrigin)),
      Row("POST /x", [own, "Origin: null", cookie], .refused(.foreignOrigin)),
      Row("POST /x", [own, "Origin: http://evil.example", bearer], .refused(.foreignOrigin)),
      Row("POST /x", [own, origin, origin, cookie], .refused(.doubledHeader("origin"))),
      Row("POST /x", [own, origin, "Authorization: Bearer wrong"], .refused(.wrongToken)),
      Row("POST /x", [own, origin, "Authorization: Basic \(token)"], .refused(.wrongToken)),
      Row("POST /x", [own, origin, "Authorization: bearer \(token)"], .handled),
      Row("POST /x", [own, origin, bearer, bearer], .refused(.doubledHeader("authorization"))),
      Row("POST /x", [own, origin, "Cookie: session_8080=\(token)"], .refused(.missingToken)),
      Row("POST /x", [own, origin, "Cookie: session_8081=\(session)"], .refused(.missingToken)),
      Row("POST /x?token=\(token)", [own, origin], .refused(.missingToken)),
      Row("POST /style.css", [own, origin], .refused(.missingToken)),
      Row("GET /x", [own, "Origin: http://evil.example"], .refused(.foreignOrigin)),
      Row(
        "GET /x",
        [own, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"],
        .refused(.foreignOrigin)
      ),
      Row(
        "GET /x",
        [own, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: cors"],
        .refused(.foreignOrigin)
      ),
      Row("GET /x", [own, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"], .handled),
      Row("GET /x", [own, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"], .handled),
      Row("GET /x", [own, "X-Forwarded-For: 10.0.0.1"], .refused(.missingToken)),
      Row("GET /x", [own, "Via: 1.1 proxy", cookie], .handled),
      Row("PATCH /x", [own, origin, bearer], .refused(.unknownMethod)),
      Row("get /x", [own], .refused(.unknownMethod)),
      Row("TRACE /", [own], .refused(.unknownMethod)),
      Row("GET /login", [own], .loginForm), Row("POST /login", [own, origin], .logIn),
      Row("POST /login", [own], .refused(.missingOrigin)),
      Row("POST /login", [own, "Origin: http://evil.example"], .refused(.foreignOrigin)),
      Row("DELETE /login", [own, origin], .refused(.loginMethod)),
    ]
  )
  private func loopback(row: Row) throws {
    #expect(try decide(row) == row.expected)
  }

  @Test(
    "through a proxy, everything needs the token, and the origin must match the proxy",
    arguments: [
      Row("GET /", ["Host: ble.example"], .refused(.missingToken)),
      Row("GET /", ["Host: ble.example:99"], .refused(.missingToken)),
      Row("GET /", ["Host: ble.example", "Accept: text/html,*/*"], .goToLogin),
      Row("GET /style.css", ["Host: ble.example"], .handled),
      Row("GET /metrics", ["Host: ble.example", bearer], .handled),
      Row("POST /x", ["Host: ble.example", "Origin: https://ble.example", bearer], .handled),
      Row("POST /x", ["Host: ble.example", "Origin: http://ble.example", bearer], .handled),
      Row("POST /x", ["Host: ble.example", origin, bearer], .refused(.foreignOrigin)),
      Row("GET /", ["Host: other.example:8443", bearer], .handled),
      Row("GET /", ["Host: other.example", bearer], .refused(.foreignHost)),
    ]
  )
  private func names(row: Row) throws {
    #expect(try decide(row) == row.expected)
  }

  @Test(
    "on a network address, everything needs the token",
    arguments: [
      Row("GET /", ["Host: 192.168.1.5:8080"], .refused(.missingToken)),
      Row("GET /", ["Host: 192.168.1.5:8080", "Accept: text/html"], .goToLogin),
      Row("GET /", ["Host: 192.168.1.5:8080", cookie], .handled),
      Row("GET /", ["Host: 192.168.1.5:8080", bearer], .handled),
      Row("GET /style.css", ["Host: 192.168.1.5:8080"], .handled),
      Row("GET /login", ["Host: 192.168.1.5:8080"], .loginForm),
      Row("GET /", [own, bearer], .refused(.foreignHost)),
      Row("GET /", ["Host: 192.168.1.6:8080", bearer], .refused(.foreignHost)),
      Row("GET /", ["Host: 192.168.1.5", bearer], .refused(.foreignHost)),
    ]
  )
  private func address(row: Row) throws {
    #expect(try decide(row, place: .address("192.168.1.5", port: 0)) == row.expected)
    #expect(try decide(row, place: .address("0.0.0.0", port: 0)) == row.expected)
  }

  @Test(
    "on a Unix socket the host is localhost, or the name of a proxy",
    arguments: [
      Row("GET /", ["Host: localhost"], .handled),
      Row("GET /", ["Host: ble.example"], .refused(.missingToken)),
      Row("GET /", ["Host: 127.0.0.1"], .refused(.foreignHost)),
      Row("POST /", ["Host: localhost", "Origin: http://localhost", bearer], .handled),
    ]
  )
  private func unix(row: Row) throws {
    #expect(try decide(row, place: .unix(path: "/s"), port: nil) == row.expected)
  }

  @Test(
    "after too many wrong tokens no token is compared, but sessions stay valid",
    arguments: [
      Row("POST /x", [own, origin, bearer], .refused(.tooManyTries)),
      Row("POST /login", [own, origin], .refused(.tooManyTries)),
      Row("POST /x", [own, origin, cookie], .handled), Row("GET /", [own], .handled),
    ]
  )
  private func heldBack(row: Row) throws {
    #expect(try decide(row, isHeldBack: true) == row.expected)
  }

  @Test(
    "the body must have a single length within the limit",
    arguments: [
      Row("POST /login", [own, origin, "Content-Length: 1048576"], .logIn),
      Row("POST /login", [own, origin, "Content-Length: 1048577"], .refused(.bodyTooLarge)),
      Row("GET /", [own, "Content-Length: 99999999999999"], .refused(.bodyTooLarge)),
      Row("GET /", [own, "Content-Length: 99999999999999999999"], .refused(.badLength)),
      Row("GET /", [own, "Content-Length: +1"], .refused(.badLength)),
      Row("GET /", [own, "Content-Length: -1"], .refused(.badLength)),
      Row(
        "GET /",
        [own, "Content-Length: 1", "Content-Length: 1"],
        .refused(.doubledHeader("content-length"))
      ),
      Row("POST /", [own, origin, "Transfer-Encoding: chunked"], .refused(.lengthRequired)),
      Row(
        "POST /",
        [own, origin, "Transfer-Encoding: chunked", "Content-Length: 1"],
        .refused(.badLength)
      ),
      Row("GET /", [own, "Host : evil.example"], .refused(.badHeader)),
      Row(
        "GET /",
        [own, "X-Large: " + String(repeating: "x", count: 16_384)],
        .refused(.headersTooLarge)
      ),
    ]
  )
  private func lengths(row: Row) throws {
    #expect(try decide(row) == row.expected)
  }

  @Test("no response to a refused request repeats any part of it")
  func refusals() {
    let refusals: [AccessDecision.Refusal] = [
      .badTarget, .badHost, .foreignHost, .badHeader, .doubledHeader("origin"), .badLength,
      .lengthRequired, .bodyTooLarge, .headersTooLarge, .unknownMethod, .loginMethod,
      .missingOrigin, .foreignOrigin, .missingToken, .wrongToken, .tooManyTries, .tooManyChanges,
      .stopping,
    ]
    #expect(
      refusals.map(\.response.status) == [
        400, 400, 421, 400, 400, 400, 411, 413, 431, 405, 405, 403, 403, 401, 401, 429, 429, 503,
      ]
    )
  }
}

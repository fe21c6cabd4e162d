// Names in Host and Origin: which are valid, and which are equal.

import Testing

@testable import WebServer

@Suite("Host names")
struct HostNameTests {
  @Test(
    "every spelling of a host is normalized",
    arguments: [
      ("localhost", "localhost", nil), ("LocalHost:8080", "localhost", 8080),
      ("localhost.:1", "localhost", 1), ("127.0.0.1:65535", "127.0.0.1", 65535),
      ("[::1]:80", "::1", 80), ("[0:0::1]", "::1", nil), ("[FE80::A]", "fe80::a", nil),
      ("ble_1.example-a.org", "ble_1.example-a.org", nil), ("a1:443", "a1", 443),
    ] as [(String, String, UInt16?)]
  )
  func parsed(text: String, name: String, port: UInt16?) {
    #expect(HostName(header: text) == HostName(name: name, port: port))
  }

  @Test(
    "an invalid host name is rejected",
    arguments: [
      "", ":80", "localhost:", "localhost:0", "localhost:080", "localhost:65536", "localhost:+1",
      "localhost:80:80", "localhost:８０", "local host", "localhost/", "user@localhost", "..",
      "a..b", ".a", "127.1", "0x7f.0.0.1", "2130706433", "127.0.0.1.5", "1.2.3.256", "::1", "[::1",
      "[::1]8080", "[::1]:", "[fe80::1%eth0]", "[]", "[127.0.0.1]", "localhost, evil.example",
      "löcalhost", "a\u{0}b", String(repeating: "a", count: 64) + ".b",
      String(repeating: "a.", count: 200),
    ]
  )
  func refused(text: String) {
    #expect(HostName(header: text) == nil)
  }

  @Test(
    "an origin matches if its scheme, host name and port agree",
    arguments: [
      ("http://localhost:8080", "localhost:8080", true),
      ("http://LOCALHOST:8080", "localhost:8080", true),
      ("http://localhost", "localhost:80", true), ("https://ble.example", "ble.example", true),
      ("https://ble.example:443", "ble.example", true), ("http://[::1]:1", "[0::1]:1", true),
      ("http://localhost:8081", "localhost:8080", false),
      ("http://localhost", "localhost:8080", false),
      ("http://127.0.0.1:8080", "localhost:8080", false),
      ("http://localhost.evil.example:8080", "localhost:8080", false),
    ]
  )
  func origin(text: String, host: String, isSame: Bool) throws {
    let host = try #require(HostName(header: host))
    #expect(Origin(header: text)?.isSame(as: host) == isSame)
  }

  @Test(
    "an invalid origin is rejected",
    arguments: [
      "null", "", "localhost:8080", "ftp://localhost", "http://", "http://localhost/", "file://",
      "http://user@localhost", "http:///localhost", "http://localhost http://localhost",
    ]
  )
  func notAnOrigin(text: String) {
    #expect(Origin(header: text) == nil)
  }

  @Test(
    "a listening place is parsed",
    arguments: [
      ("8080", .loopback(port: 8080)), ("0", .loopback(port: 0)),
      ("127.0.0.1:9", .loopback(port: 9)), ("127.0.0.1:0", .loopback(port: 0)),
      ("192.168.1.5:80", .address("192.168.1.5", port: 80)),
      ("0.0.0.0:0", .address("0.0.0.0", port: 0)), ("[0::0]:8080", .address("::", port: 8080)),
      ("unix:/run/x.sock", .unix(path: "/run/x.sock")),
    ] as [(String, ListeningPlace)]
  )
  func place(text: String, place: ListeningPlace) throws {
    #expect(try ListeningPlace(text) == place)
  }

  @Test(
    "a place that cannot be listened on is rejected",
    arguments: [
      "", "unix:", "localhost:80", "1.2.3.4", "70000", "-1", "::1:80", "[::1]", "1.2.3:80",
    ]
  )
  func badPlace(text: String) {
    #expect(throws: WebServerFailure.badPlace(text)) { try ListeningPlace(text) }
  }
}

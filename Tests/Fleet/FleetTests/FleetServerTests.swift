// Checks of a server before anything is sent: addresses, versions, streams.

import Documents

#if Fleet
  import Fleet
  import Fixtures
  import Jobs
  import Testing

  @testable import FleetNATS

  @Suite("The fleet server")
  struct FleetServerTests {
    @Test("an address has a server, a user and a fleet, and is printed without the password")
    func address() throws {
      let full = try FleetAddress(parsing: "tls://hall%401:s%3Acret@nats.example.org:4443/hall-1")
      #expect(full.user == "hall@1" && full.password == "s:cret" && full.port == 4443)
      #expect(full.description == "fleet hall-1 on tls://nats.example.org:4443, user hall@1")
      let short = try FleetAddress(parsing: "nats://[::1]/a")
      #expect(short.host == "::1" && short.port == 4222 && short.user == nil)
      #expect(short.server == "nats://[::1]:4222")
      for (text, password) in [
        ("nats://u@a/b", "unseen"), ("nats://u:p@a/b", "p"), ("nats://u:@a/b", ""),
        ("nats://a/b", nil),
      ] {
        #expect(try FleetAddress(parsing: text, password: "unseen").password == password, "\(text)")
      }
    }

    @Test(
      "an invalid address is an error that says what is wrong",
      arguments: [
        ("hall", "'hall' is not the address of a fleet"), ("http://a/b", "not the address"),
        ("nats://a", "the name of the fleet is missing"),
        ("nats://a/b.c", "the name of the fleet is missing or invalid"),
        ("nats://a:0/b", "invalid port"), ("nats:///b", "the host is missing"),
        ("nats://u:p%4@a/b", "two hexadecimal digits"),
      ]
    )
    func wrong(text: String, problem: String) {
      let error = #expect(throws: FleetAddressError.self) { try FleetAddress(parsing: text) }
      #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test(
      "versions are compared as numbers",
      arguments: [
        ("2.9.10", "2.9.0", true), ("2.10.0-beta.1", "2.9.21", true), ("2.8.4", "2.9.0", false),
        ("2.9.10", "2.9.21", false), ("3.0", "2.9.0", true),
      ]
    )
    func versions(version: String, needed: String, isEnough: Bool) throws {
      let line = "INFO {\"version\":\"\(version)\",\"cluster\":\"c\"} \r"
      let introduction = try #require(ServerIntroduction(line))
      #expect(introduction.isAtLeast(needed) == isEnough && introduction.cluster == "c")
    }

    @Test(
      "each user has replies of its own",
      arguments: [
        ("nats://a/b", "_INBOX"), ("nats://hall-1:p@a/b", "_INBOX_hall-1"),
        ("nats://a.b%3E%2A@a/b", "_INBOX_a_b__"),
      ]
    )
    func inbox(text: String, prefix: String) throws {
      #expect(try FleetAddress(parsing: text).inboxPrefix == prefix)
    }

    @Test("JetStream that is configured and does not answer is told from none")
    func jetStream() throws {
      let line = #"INFO {"version":"2.9.10","jetstream":true} "#
      #expect(try #require(ServerIntroduction(line)).hasJetStream)
      let plain = #"INFO {"version":"2.9.10"} "#
      #expect(try #require(ServerIntroduction(plain)).hasJetStream == false)
      let off = FleetServerError.jetStreamOff(server: "nats://a:4222").description
      #expect(off.contains("restart it") && !off.contains("block"))
    }

    @Test("a server that is not NATS is rejected")
    func foreign() { #expect(ServerIntroduction("HTTP/1.1 400 Bad Request") == nil) }

    @Test("keys map to subjects and back, and foreign subjects map to no key")
    func subjects() throws {
      let layout = StreamLayout(fleet: "hall")
      for kind in StoreKey.Kind.allCases {
        let key = StoreKey(kind, "a-1")
        #expect(layout.key(of: layout.subject(key)) == key)
      }
      #expect(layout.subject(StoreKey(.device, "C0")) == "$KV.blerun_devices_hall.device.C0")
      #expect(layout.subject(.all(.result)) == "blerun.hall.result.*")
      #expect(layout.key(of: "$KV.blerun_devices_other.device.C0") == nil)
      #expect(layout.key(of: "blerun.hall.nothing.C0") == nil)
    }

    @Test("a stream that lacks a required setting is rejected, since an old server ignores it")
    func ignoredSetting() throws {
      for stream in StreamLayout(fleet: "hall").streams {
        #expect(stream.difference(from: stream.settings) == nil)
        guard case .object(let members) = stream.settings else { continue }
        let without = JSONValue.object(members.filter { $0.key != "allow_direct" })
        let difference = stream.difference(from: without)
        #expect(difference == "its setting allow_direct is missing, and true is needed")
      }
    }
  }
#endif

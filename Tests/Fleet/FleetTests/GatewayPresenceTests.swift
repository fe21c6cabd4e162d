// Two gateways of one name: the one that came later ends.

import Fleet
import Signals
import Testing

@Suite("The presence of a gateway")
struct GatewayPresenceTests {
  private let loop = VirtualTimeLoop()
  private let store: MemoryStore

  init() { store = MemoryStore(on: loop, seed: 1) }

  private func presence(_ incarnation: String, on host: String) -> GatewayPresence {
    var entry = GatewayEntry()
    (entry.incarnation, entry.host) = (incarnation, host)
    return GatewayPresence(
      "hall", entry, FleetSettings(), in: store.client(incarnation), on: loop
    )
  }

  private func begin(_ presence: GatewayPresence, _ taken: Guarded<[String]>) {
    presence.begin(
      GatewayPresence.Handlers(
        report: { SightingReport(gateway: "hall", sightings: []) }, drain: {},
        nameTaken: { other in taken.withLock { $0.append(other.incarnation ?? "") } }
      )
    )
  }

  private func wait(_ time: Duration) throws {
    let until = loop.now + time
    loop.at(until) {}
    try loop.drive { [loop] in loop.now >= until }
  }

  @Test("a gateway on another host with a name that is in use is refused within 12 s")
  func refused() throws {
    let taken = Guarded<[String]>([])
    begin(presence("first", on: "a"), taken)
    try wait(.seconds(1))
    let second = presence("second", on: "b")
    let other = try loop.run { try await second.gatewayWithName() }
    #expect(other?.incarnation == "first" && other?.host == "a")
    try wait(.seconds(60))
    #expect(taken.withLock { $0 } == [])
  }

  @Test(
    "the entry of a gateway that ran before does not keep a new process away",
    arguments: ["a", "b"])
  func startedAgain(host: String) throws {
    var entry = GatewayEntry()
    (entry.incarnation, entry.host) = ("killed", "a")
    store.put(StoredValue.gateway(entry).text, at: .gateway("hall"))
    let begun = loop.now
    let again = presence("again", on: host)
    let other = try loop.run { try await again.gatewayWithName() }
    #expect(other == nil)
    // On the same host it is known at once.
    #expect((loop.now - begun < .seconds(1)) == (host == "a"))
  }

  @Test("of two gateways with one name on one host, the one that began later ends")
  func oneHost() throws {
    let (first, second) = (Guarded<[String]>([]), Guarded<[String]>([]))
    begin(presence("z-first", on: "a"), first)
    try wait(.seconds(1))
    let later = presence("a-second", on: "a")
    #expect(try loop.run { try await later.gatewayWithName() } == nil)
    begin(later, second)
    try wait(.seconds(30))
    #expect(first.withLock { $0 } == [])
    #expect(second.withLock { $0.first } == "z-first")
  }

  @Test("of two gateways that began at the same moment, exactly one ends")
  func sameMoment() throws {
    let taken = Guarded<[String]>([])
    begin(presence("one", on: "a"), taken)
    begin(presence("two", on: "b"), taken)
    try wait(.seconds(100))
    #expect(Set(taken.withLock { $0 }) == ["one"])
  }
}

// Which gateway tries first, and how a name is resolved.

import Bluetooth
import Fleet
import Signals
import Testing

@Suite("Placement")
struct PlacementTests {
  @Test(
    "the score counts RSSI, free connections, a connection in progress and failures",
    arguments: [
      (-40, 4, false, 0, 1.0), (-100, 4, false, 0, 0.4), (-70, 4, false, 0, 0.7),
      (-70, 2, false, 0, 0.5), (-70, 4, true, 0, 0.5), (-70, 4, false, 2, 0.4),
      (-70, 4, false, 9, 0.25), (-20, 9, false, 0, 1.0), (-100, 0, true, 3, 0.0),
    ]
  )
  func score(rssi: Int, free: Int, isConnecting: Bool, failures: Int, expected: Double) {
    var bid = Bid(rssi: rssi, freeConnections: free)
    bid.isConnecting = isConnecting
    bid.recentFailures = failures
    #expect(abs(bid.score - expected) < 0.000_001)
  }

  @Test("a better score waits less, and a preferred gateway does not wait")
  func delay() {
    let window = Duration.milliseconds(500)
    var far = Bid(rssi: -90, freeConnections: 4)
    let near = Bid(rssi: -50, freeConnections: 4)
    #expect(near.delay(window: window) < far.delay(window: window))
    #expect(near.delay(window: window) >= window / 2)
    far.isPreferred = true
    #expect(far.delay(window: window) == .zero)
  }

  @Test("a name is resolved after all gateways had time to report, or at the deadline")
  func search() {
    func at(_ seconds: Int) -> Instant { .start + .seconds(seconds) }
    func search() -> NameSearch {
      NameSearch(of: "Thermo", listening: .seconds(10), deadline: .seconds(60), at: .start)
    }
    var one = search()
    one.add(SightingReport(gateway: "a", sightings: [Self.sighting(3, "Thermo")]))
    #expect(one.progress(at: at(9)) == .waits(until: at(10)))
    #expect(one.progress(at: at(10)) == .device(BluetoothAddress(number: 3)))
    one.add(SightingReport(gateway: "b", sightings: [Self.sighting(4, "Thermo")]))
    let both = "Thermo is the name of 00:00:00:00:00:03, 00:00:00:00:00:04"
    #expect(one.progress(at: at(1)) == .ended(.ambiguous, detail: both))
    var changing = search()
    changing.add(
      SightingReport(gateway: "a", sightings: [Self.sighting(9, "Thermo", identity: false)])
    )
    #expect(changing.progress(at: at(59)) == .waits(until: at(60)))
    let why = "Thermo is advertised from private addresses only, which change"
    #expect(changing.progress(at: at(60)) == .ended(.needsBond, detail: why))
    var nobody = search()
    nobody.add(SightingReport(gateway: "a", sightings: []))
    let listened = "Thermo was not observed by a"
    #expect(nobody.progress(at: at(60)) == .ended(.noGateway, detail: listened))
  }

  private static func sighting(_ number: UInt64, _ name: String?, identity: Bool = true) -> Sighting
  {
    var sighting = Sighting(address: BluetoothAddress(number: number), rssi: -60)
    sighting.name = name
    sighting.isIdentity = identity
    return sighting
  }

  @Test("a name resolves to a single identity address, or to the reason why it does not")
  func names() {
    var resolution = NameResolution(of: "Thermo")
    resolution.add(SightingReport(gateway: "b", sightings: [Self.sighting(1, "Other")]))
    resolution.add(SightingReport(gateway: "a", sightings: []))
    #expect(resolution.decision == .notObserved(by: ["a", "b"]))
    resolution.add(
      SightingReport(gateway: "a", sightings: [Self.sighting(9, "Thermo", identity: false)])
    )
    #expect(resolution.decision == .needsBond)
    for _ in 0..<2 {
      resolution.add(SightingReport(gateway: "a", sightings: [Self.sighting(3, "Thermo")]))
      #expect(resolution.decision == .device(BluetoothAddress(number: 3)))
    }
    resolution.add(SightingReport(gateway: "b", sightings: [Self.sighting(2, "Thermo")]))
    let both = [2, 3].map { BluetoothAddress(number: $0) }
    #expect(resolution.decision == .ambiguous(both))
  }
}

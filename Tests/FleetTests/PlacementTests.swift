// Which gateway tries first, and what a name means.

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

  @Test("the better score waits less, a preferred gateway not at all")
  func delay() {
    let window = Duration.milliseconds(500)
    var far = Bid(rssi: -90, freeConnections: 4)
    let near = Bid(rssi: -50, freeConnections: 4)
    #expect(near.delay(window: window) < far.delay(window: window))
    #expect(near.delay(window: window) >= window / 2)
    far.isPreferred = true
    #expect(far.delay(window: window) == .zero)
  }

  private static func sighting(_ number: UInt64, _ name: String?, identity: Bool = true) -> Sighting
  {
    var sighting = Sighting(address: BluetoothAddress(number: number), rssi: -60)
    sighting.name = name
    sighting.isIdentity = identity
    return sighting
  }

  @Test("a name means one identity address, or the reason why it does not")
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

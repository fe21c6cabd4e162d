// Scenarios distinguish two characteristics of one UUID: `after` counts the events of one of them.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Two characteristics of one UUID, in scenarios")
struct PlaceTests {
  private func scenario(_ characteristic: String) throws -> ScenarioDefinition {
    try ScenarioFile.parse(
      """
      scenario: Twins
      devices:
        - name: Lab HRM
          address: C0:FF:EE:00:00:01
          services:
            - service: 1809
              characteristics:
                - { characteristic: 2a6e, properties: [read, notify], value: { u8: 1 } }
                - { characteristic: 2a6e, properties: [read, notify], value: { u8: 2 } }
      faults:
        - { fault: link-lost, after: read, characteristic: \(characteristic), delay: 10ms }
      """,
      file: "twins.yaml"
    )
  }

  /// Whether the link is lost when the first is read, and when the second is.
  private func losses(_ characteristic: String) throws -> [Bool] {
    try ["service000a/char000b", "service000a/char000e"].map { path in
      let scenario = try scenario(characteristic)
      let loop = VirtualTimeLoop()
      let bus = LoopbackBus(on: loop)
      defer {
        bus.shutDown()
        loop.end()
      }
      let player = ScenarioPlayer(
        scenario,
        devices: scenario.devices.map {
          SimulatedDevice($0, on: loop, generator: SeededGenerator(seed: 0))
        },
        on: loop,
        generator: SeededGenerator(seed: 0),
        connect: { try bus.connect() }
      )
      defer { player.stop() }
      let client = try RawClient(on: bus, receiving: OrgBlueZ.busName)
      try loop.run { try await player.start() }
      func pass(_ duration: Duration) throws {
        try loop.run { try await loop.sleep(for: duration) }
      }
      try client.call("StartDiscovery", .adapter)
      try pass(.seconds(1))
      try client.call("Connect", .device)
      try pass(.seconds(1))
      let answer = try client.call("ReadValue", .attribute(path), .noOptions)
      #expect((try? answer.get()) != nil)
      try pass(.seconds(1))
      return player.simulator?.connectedDevices.isEmpty == true
    }
  }

  @Test("a number, a handle and a UUID alone: the one, the other, both")
  func counts() throws {
    #expect(try losses("1809/2a6e#0") == [true, false])
    #expect(try losses("2a6e#1") == [false, true])
    #expect(try losses("'@0x000f'") == [false, true])
    #expect(try losses("2a6e") == [true, true])
    #expect(try losses("1809/2a6e") == [true, true])
  }

  @Test("one that no device has is an error")
  func missing() {
    #expect(throws: (any Error).self) { try scenario("2a6e#2") }
  }
}

// Scenarios distinguish two characteristics of one UUID: `after` counts the events of one of them.

import BlueZSimulator
import Bluetooth
import SimulatedDevices
import Testing

@Suite("Two characteristics with one UUID, in scenarios")
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

  /// Whether reading the first, and reading the second characteristic, loses the link.
  private func losses(_ characteristic: String) throws -> [Bool] {
    try ["service000a/char000b", "service000a/char000e"].map { path in
      let lab = try Lab(playing: scenario(characteristic))
      try lab.connect()
      let answer = try lab.client.call("ReadValue", .attribute(path), .noOptions)
      #expect((try? answer.get()) != nil)
      try lab.pass(.seconds(1))
      return lab.simulator.connectedDevices.isEmpty
    }
  }

  @Test("a number or a handle selects one characteristic, a UUID alone selects both")
  func counts() throws {
    #expect(try losses("1809/2a6e#0") == [true, false])
    #expect(try losses("2a6e#1") == [false, true])
    #expect(try losses("'@0x000f'") == [false, true])
    #expect(try losses("2a6e") == [true, true])
    #expect(try losses("1809/2a6e") == [true, true])
  }

  @Test("a characteristic that no device has is an error")
  func missing() {
    #expect(throws: (any Error).self) { try scenario("2a6e#2") }
  }
}

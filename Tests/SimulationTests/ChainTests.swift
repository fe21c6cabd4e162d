// A chain of our client's on the simulated org.bluez.

import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("A chain on a simulated device")
struct ChainTests {
  @Test("connects, reads, writes, listens and disconnects, as the device sees it")
  func chain() throws {
    let simulation = try Simulation()
    let service = simulation.service
    let alert = CharacteristicSelector(characteristic: .alertLevel)
    let outcome = service.connect()
      .flattenMap { service.read(.batteryLevel) }
      .flattenMap { level in
        service.subscribe(alert).flattenMap { values in
          service.write([1], to: alert, kind: .automatic)
            .flattenMap { values.take(1) }
            .map { (level, $0.value) }
        }
      }
      .flattenMap { result in service.disconnect().map { result } }
      .map { Optional($0) }
      .firstOrDefault(nil, within: .seconds(20))
    #expect(outcome.error == nil)
    #expect(outcome.value?.0 == 87)
    #expect(outcome.value?.1 == [1])
    let address = simulation.device.definition.address
    #expect(
      simulation.history == [
        "scanning on", "scanning off", "\(address) link up", "\(address) read 2a19",
        "\(address) subscribed 2a06", "\(address) written 2a06 [1]",
        "\(address) notified 2a06 [1]", "\(address) link down",
      ]
    )
  }
}

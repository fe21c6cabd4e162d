// What the first files of a process cost to read: every static table that reading touches is made.

import CBenchmarkPeers
import Jobs
import SimulatedDevices

enum FirstFiles {
  private static let device = """
    name: Sensor
    address: C0:FF:EE:00:00:01
    services:
      - service: battery
        characteristics:
          - characteristic: battery-level
            properties: [read, notify]
            wave: { parts: { u8: { low: 62, high: 88 } }, period: 60s, every: 1s }
    """

  private static let chain = """
    device: { name: Sensor }
    steps:
      - read: battery-level
        as: level
      - when: { level.percent: { above: 20 } }
        steps: [{ log: "level {level.percent}" }]
    """

  /// How many allocations the first device file and the first chain file of this process take.
  ///
  /// Only the first call in a process measures that.
  static func allocations() throws -> Int {
    let before = peers_allocations()
    _ = try DeviceFile.parse(device, file: "sensor.yaml")
    _ = try Plan.parse(chain, file: "chain.yaml")
    return Int(peers_allocations() - before)
  }
}

// Hundreds of devices in range: their cost in processor time and in memory.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Glibc
import Signals
import SimulatedDevices
import Testing

@Suite("Hundreds of devices", .serialized)
struct FleetTests {
  /// A fleet, and the seconds of the processor that each thing took.
  struct Fleet {
    let lab: Lab
    let seconds: [String: Double]
  }

  static func fleet(_ count: Int) throws -> [DeviceDefinition] {
    let text = """
      scenario: Fleet
      devices:
        - name: Tag-#
          address: C0:FF:EE:03:00:00
          count: \(count)
          advertisement:
            services: [battery]
            interval: 500ms
            manufacturer-data: { 0xffff: [{ hex: "01" }, { u32: $uptime }] }
            rssi: { walk: { low: -85, high: -45, step: 6 } }
          services:
            - service: battery
              characteristics:
                - { characteristic: battery-level, properties: [read, notify], value: { u8: 87 } }
      """
    return try ScenarioFile.parse(text, file: "fleet.yaml").devices
  }

  /// The time that this thread has had of a processor, in seconds.
  static var spent: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func run(_ count: Int) throws -> Fleet {
    var seconds: [String: Double] = [:]
    func measure<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
      let began = spent
      defer { seconds[name] = spent - began }
      return try body()
    }
    let definitions = try measure("reading") { try fleet(count) }
    #expect(definitions.count == count && definitions.last?.name == "Tag-\(count)")
    let lab = try measure("starting") { try Lab(definitions) }
    let path = BlueZPath.device(definitions[count / 2].address, of: Target.adapter.path)
    let target = Target(path, Device1.interface)
    try measure("scanning") {
      try lab.client.call("StartDiscovery", .adapter)
      try lab.pass(.seconds(10))
    }
    let objects = try measure("objects") { try lab.client.objects() }
    #expect(objects.count { $0.path.contains("dev_") } == count)
    try measure("a chain") {
      #expect(try lab.client.ask("Connect", target) == "Connect replied")
      try lab.pass(.seconds(1))
      let level = Target(
        BlueZPath.characteristic(declaration: 0x000b, of: BlueZPath.service(0x000a, of: path)),
        GattCharacteristic1.interface
      )
      #expect(try lab.client.call("ReadValue", level, .noOptions).get() == [.bytes([87])])
      #expect(try lab.client.ask("Disconnect", target) == "Disconnect replied")
    }
    try measure("stopping") {
      try lab.client.call("StopDiscovery", .adapter)
      try lab.pass()
    }
    // Devices that were never connected are removed: all but one.
    try measure("forgetting") { try lab.pass(.seconds(31)) }
    let left = try lab.client.objects().filter { $0.path.contains("dev_") }
    #expect(left.allSatisfy { $0.path.hasPrefix(left[0].path) } && left.count >= 2)
    return Fleet(lab: lab, seconds: seconds)
  }

  /// The parts of the work that cost more than they should with ten times the devices.
  private static func steep(_ few: [String: Double], _ many: [String: Double]) -> [String] {
    // A lower bound, since very short times cannot be compared.
    many.keys.sorted().filter { (many[$0] ?? 0) >= max(few[$0] ?? 0, 0.002) * 35 }
  }

  @Test("ten times the devices cost about ten times the work")
  func linear() throws {
    let few = try Self.run(60).seconds
    var many = try Self.run(600).seconds
    // Other programs in the caches make a run slower, never faster.
    for _ in 0..<2 where !Self.steep(few, many).isEmpty {
      many.merge(try Self.run(600).seconds) { min($0, $1) }
    }
    #expect(Self.steep(few, many).isEmpty, "\(few), \(many)")
  }

  @Test("all five hundred devices are received, each with an RSSI that varies independently")
  func strengths() throws {
    let lab = try Lab(Self.fleet(500))
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(2))
    let reported = try lab.client.objects().compactMap { $0["Device1"]?["RSSI"] }
    #expect(reported.count == 500)
    #expect(Set(reported.map { "\($0)" }).count > 10)
  }
}

// The step `throughput` on simulated links with a speed, through our client and the simulated bluetoothd.

import Fixtures
import Testing

@Suite("Throughput of a simulated link", .blocking)
struct ThroughputTests {
  /// A link of 2 packets in 10 ms, which carries 48 800 bytes a second with 244 in each, and a device that
  /// sends 500 numbered notifications a second.
  private static let flow = """
    name: Flow-1
    address: C0:FF:EE:00:00:77
    link: { mtu: 247, speed: { interval: 10ms, packets: 2 } }
    services:
      - service: fff0
        characteristics:
          - { characteristic: fff1, properties: [write-without-response] }
          - { characteristic: fff2, properties: [notify] }
    machines:
      - machine: source
        variables: { n: 0 }
        states:
          running:
            on:
              - every: 2ms
                do:
                  - { let: { n: $n + 1 } }
                  - { notify: [{ u16: $n }, { hex: "\(String(repeating: "5a", count: 242))" }], on: fff2 }
    """

  private func run(_ line: String, on flow: String = Self.flow) throws -> RunningProgram.Ended {
    let folder = try TemporaryFolder()
    let device = try folder.file("flow.yaml", flow)
    return try blerun("run", "-e", line, "-d", "Flow-1", "--simulate", device)
  }

  @Test(
    "commands are carried nearly as fast as the interval, the packets and the MTU permit",
    arguments: ["acquire", "call"]
  )
  func up(delivery: String) throws {
    let run = try run(
      """
      throughput up fff1 for 3s packets 2 delivery \(delivery) \
      expect up.rate in 45000..48800 expect up.perInterval in 1.85..2 \
      expect limit = 48800 expect interval = 10 expect mtu = 247
      """
    )
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    // Three seconds, and the result; the time in which the last commands are answered is short.
    #expect(run.lines.count { $0.hasPrefix("1  throughput up fff1") } == 4, "\(run.output)")
  }

  @Test("the throughput follows a change of the connection interval")
  func changed() throws {
    let run = try run(
      """
      connection-parameters interval 20ms; throughput up fff1 for 3s \
      expect up.rate in 22000..24400 expect interval = 20
      """
    )
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test(
    "the throughput follows a change of the PHY",
    arguments: [
      ("connection-parameters expect phy = 1m", "80000..97600"),
      ("connection-parameters phy 2m expect phy = 2m", "120000..170800"),
    ]
  )
  func changedPHY(change: String, rates: String) throws {
    // As many packets as the PHY has time for in 10 ms: 4 on 1m, 7 on 2m.
    let run = try run(
      "\(change); throughput up fff1 for 3s expect up.rate in \(rates)",
      on: Self.flow.replacing(", packets: 2", with: "")
    )
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test("an amount of commands takes the time that the link needs for it")
  func amount() throws {
    let run = try run(
      "throughput up fff1 bytes 100000 size 100 expect up.count = 1000 expect up.rate in 18000..20000"
    )
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test(
    "notifications come as fast as the link carries them, and those that the device drops are lost")
  func down() throws {
    let run = try run(
      """
      throughput down fff2 for 5s sequence u16 packets 2 \
      expect down.rate in 48000..49300 expect down.loss in 55..60 expect limit = 48800
      """
    )
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test("both directions at once have the rate of each alone")
  func both() throws {
    let run = try run(
      """
      throughput up fff1 down fff2 for 3s \
      expect up.rate in 45000..48800 expect down.rate in 47500..49500
      """
    )
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }
}

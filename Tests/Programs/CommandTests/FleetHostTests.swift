// Gateways on a host where bluetoothd outlives them and has other clients: processes that are killed
// and stopped.

#if Fleet
  import Fixtures
  import Foundation
  import Testing

  @Suite("The host of a gateway", .blocking, .needsNATSServer)
  final class FleetHostTests: FleetOfProcesses {
    private let host: SimulatedHost

    override init() throws {
      host = try SimulatedHost()
      try super.init()
    }

    private func gateway(_ options: String...) throws -> RunningProgram {
      try gateway("a", options: options, environment: host.environment())
    }

    /// The events of the gateway's runs, which stay on its disk for a day.
    private func events() throws -> String {
      let path = "\(folder.path)/a.json.events"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      return try names.map { try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8) }.joined()
    }

    private func batch(_ steps: String...) throws -> String {
      try batch(steps, on: [host.device])
    }

    @Test(
      "the connections of a killed or stopped gateway are down before a successor begins",
      arguments: [SIGKILL, SIGSTOP]
    )
    func guarded(signal: Int32) throws {
      let gateway = try gateway()
      let file = try batch("read: body-sensor-location", "sleep: 60s")
      #expect(try submit(file, "--detach").end().status == 0)
      // Not earlier: bluetoothd itself cancels a pending connect when its caller exits.
      try wait { try events().contains("step-finished") && events().contains("value") }
      #expect(try host.isConnected())
      let start = ContinuousClock.now
      gateway.send(signal)
      try wait { try !host.isConnected() }
      let time = ContinuousClock.now - start
      // A successor waits for the lease, 15 s, and for the supervision time, 7 s.
      #expect(time < .seconds(22), "\(time)")
      gateway.send(SIGKILL)
      let ended = gateway.end()
      let what = signal == SIGKILL ? "killed" : "stopped"
      let mark = "disconnected \(host.device), which the \(what) process"
      #expect(ended.errors.contains(mark), "\(ended.errors)")
    }

    @Test("a device connected by another program is reported as held, and the job waits for it")
    func held() throws {
      let other = try host.start(
        [
          "run", "-d", host.device, "-e", "notify heart-rate-measurement for 1h", "--output",
          "json",
        ],
        user: "-other"
      )
      try other.waitForOutput(#""event":"value""#)
      let gateway = try gateway()
      try wait(for: "a")
      let file = try batch("read: body-sensor-location")
      let held = try submit(file, "--patience", "30s").end()
      let why = "the device is connected to by another program on gateway a"
      #expect(held.status == 75 && held.output.contains(why), "\(held.output)\(held.errors)")
      #expect(try host.isConnected())
      // The job waits and runs once the other program has exited.
      let waiting = try submit(file, "--detach").end()
      #expect(waiting.status == 0, "\(waiting.errors)")
      other.send(SIGTERM)
      _ = other.end()
      try wait { try run("fleet", "jobs", "--all").end().output.contains("ok  a") }
      leave(gateway)
    }

    @Test("a chain that a gateway does not allow is refused, by its name and digest")
    func refused() throws {
      let gateway = try gateway("--allow", "heart-rate-measurement")
      let refused = try submit(batch("read: body-sensor-location"), "--output", "json").end()
      #expect(refused.status == 1, "\(refused.output)\(refused.errors)")
      #expect(refused.output.contains("\"code\":\"not-allowed\""), "\(refused.output)")
      #expect(refused.output.contains("which uses body-sensor-location"), "\(refused.output)")
      #expect(try !host.isConnected())
      leave(gateway)
    }
  }
#endif

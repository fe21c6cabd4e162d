// Gateways on a host whose bluetoothd outlives them, and has other clients.

#if Fleet
  import Fixtures
  import Foundation
  import Testing

  @Suite(
    "A gateway's host",
    .blocking,
    .enabled(if: NATSServer.isInstalled, "nats-server is not installed")
  )
  struct FleetHostTests: FleetOfProcesses {
    let folder: TemporaryFolder
    let server: NATSServer
    private let host: SimulatedHost

    init() throws {
      folder = try TemporaryFolder()
      server = try NATSServer()
      host = try SimulatedHost()
    }

    private func gateway() throws -> RunningProgram {
      try RunningProgram(
        blerun: ["gateway", "--name", "a", "--state", "\(folder.path)/a.json"],
        in: folder.path,
        environment: try host.environment().merging(["BLERUN_FLEET": url]) { $1 },
        limit: .seconds(300)
      )
    }

    private func batch(_ steps: String) throws -> String {
      try folder.file("batch.yaml", "steps: [\(steps)]\ndevices: [\"\(host.device)\"]\n")
    }

    @Test("a device that another program has connected to is held, and waited for")
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
      let file = try batch("{ read: body-sensor-location }")
      let held = try run("batch", file, "--fleet", url, "--patience", "10s").end()
      let why = "the device is connected to by another program on gateway a"
      #expect(held.status == 75 && held.output.contains(why), "\(held.output)\(held.errors)")
      #expect(try host.isConnected())
      // The job waits; it runs when the other program has left.
      let waiting = try run("batch", file, "--fleet", url, "--detach").end()
      #expect(waiting.status == 0, "\(waiting.errors)")
      other.send(SIGTERM)
      _ = other.end()
      try wait { try run("fleet", "jobs", "--all").end().output.contains("ok  a") }
      gateway.send(SIGTERM)
      #expect(gateway.end().status == 143)
    }
  }
#endif

// Links left by a killed run are ended only if no other program uses them: killed processes, and others
// beside them.

import BlueZ
import Bluetooth
import DBus
import Fixtures
import Foundation
import Glibc
import Signals
import Testing

@testable import Program

@Suite("Links left by a killed run", .blocking)
struct OrphanTests {
  static let listening = ["notify heart-rate-measurement for 1h"]

  private let host: SimulatedHost

  init() throws { host = try SimulatedHost() }

  private func listen(user: String = "") throws -> RunningProgram {
    let run = try host.start(
      ["run", "-d", host.device, "-e"] + Self.listening + ["--output", "json"], user: user
    )
    try run.waitForOutput(#""event":"value""#)
    return run
  }

  private func kill(_ run: RunningProgram) {
    run.send(SIGKILL)
    _ = run.end()
  }

  @Test("a link used by another program is reported, and ended only with --force")
  func foreign() throws {
    let killed = try listen()
    let other = try listen(user: "-other")
    kill(killed)
    let told = try host.run("doctor", "--release")
    #expect(told.output.contains("used by another program, which has subscribed"), "\(told.output)")
    #expect(told.output.contains("--force"))
    #expect(try host.isConnected())
    #expect(host.leases.count == 1)
    let next = try host.run("run", "-d", "*", "-e", "log x")
    #expect(next.errors.contains("it is left up"), "\(next.errors)")
    #expect(try host.isConnected())
    let forced = try host.run("doctor", "--release", "--force")
    #expect(forced.output.contains("was disconnected"), "\(forced.output)")
    #expect(try !host.isConnected())
    #expect(host.leases.isEmpty)
    other.send(SIGTERM)
    _ = other.end()
  }

  @Test("a link shared with a watch is reported, and ends with the watch")
  func sharing() throws {
    let killed = try listen()
    let other = try host.start(["watch", host.device, "heart-rate-measurement", "--output", "json"])
    try other.waitForOutput(#""event":"value""#)
    kill(killed)
    let told = try host.run("doctor", "--release")
    #expect(told.output.contains("used by another run, process "), "\(told.output)")
    #expect(try host.isConnected())
    other.send(SIGTERM)
    #expect(other.end().status == 143)
    // The last process that uses the link ends it.
    #expect(try !host.isConnected())
    let released = try host.run("doctor", "--release")
    #expect(released.output.contains("was not connected any more"), "\(released.output)")
    #expect(host.leases.isEmpty)
  }

  @Test("a resumed batch with nothing left to do still ends the link")
  func nothingLeft() throws {
    let batch = try host.folder.file(
      "batch.yaml", "devices: [\(host.device)]\nsteps: [ { read: body-sensor-location } ]\n"
    )
    #expect(try host.run("batch", batch).status == 0)
    kill(try listen())
    #expect(try host.isConnected())
    let resumed = try host.run("batch", batch, "--resume")
    #expect(resumed.status == 0 && resumed.errors.contains("nothing is left"), "\(resumed.errors)")
    #expect(resumed.errors.contains("blerun: disconnected \(host.device), which a killed run"))
    #expect(try !host.isConnected())
    #expect(host.leases.isEmpty)
  }

  @Test(
    "a connect left pending by a killed run is cancelled by the doctor or the next command",
    arguments: [["doctor", "--release"], ["run", "-d", "*", "-e", "log x"]]
  )
  func connecting(next: [String]) throws {
    let slow = SimulatedHost.quick.replacing("connect-time: 5ms", with: "connect-time: 5s")
    let host = try SimulatedHost(slow)
    let run = try host.start(["run", "-d", host.device, "-e", "log x", "--verbose"])
    try run.waitForErrors("Device1.Connect()")
    // The message is printed just before the call is sent.
    poll(nil, 0, 500)
    kill(run)
    let ended = try host.start(next).end()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect((ended.output + ended.errors).contains("connect to \(host.device)"))
    #expect(host.leases.isEmpty)
    // bluetoothd refuses a second connect while one is pending.
    let connected = try host.run("run", "-d", host.device, "-e", "log x")
    #expect(connected.status == 0 && !connected.errors.contains("attempt 2"), "\(connected.errors)")
  }

  @Test("a second Ctrl-C leaves the lease, and the command that it suggests works")
  func secondInterrupt() throws {
    let run = try listen()
    run.send(SIGINT)
    try run.waitForOutput(#""operation":"disconnect""#)
    kill(run)
    let released = try host.run("doctor", "--release")
    #expect(released.status == 0)
    #expect(try !host.isConnected())
    #expect(host.leases.isEmpty)
  }

  /// A lease of a process that no longer exists, and the effect on a link that is up. LedgerTests
  /// cover leases of another boot or bus, and of a live process.
  struct Left: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var daemon: String?
    var state = Lease.Entry.State.up
    let isReleased: Bool
  }

  static let leases = [
    Left(testDescription: "of a dead process", isReleased: true),
    Left(
      testDescription: "of a dead process that was connecting", state: .connecting,
      isReleased: true
    ),
    Left(testDescription: "of a bluetoothd that is gone", daemon: ":9.99", isReleased: false),
    Left(testDescription: "that only used the link", state: .used, isReleased: false),
  ]

  @Test("a link is released only if every field of its lease is still valid", arguments: leases)
  func rules(_ left: Left) throws {
    // A link of another program, which shows whether it is touched.
    let device = host.device
    let (bus, daemon) = try host.look { client in
      let identity = try await client.bus.call(
        BusDriver.identityCall, limit: .seconds(60), lateReply: nil
      )
      return (
        identity.body.first?.asString ?? "", try await client.bus.nameOwner("org.bluez") ?? ""
      )
    }
    let kept = try host.start(["run", "-d", device, "-e", "log x", "--keep"], user: "-other").end()
    #expect(kept.status == 0, "\(kept.errors)")
    #expect(try host.isConnected())
    let own = ProcessIdentity.own
    let lease = Lease(
      owner: ProcessIdentity(process: own.process, start: own.start + 1, boot: own.boot), bus: bus,
      entries: [
        Lease.Entry(
          link: HeldLink(
            adapter: try host.look { $0.adapterFacts.first?.address },
            device: try #require(BluetoothAddress(device)),
            path: "/org/bluez/hci0/dev_C0_FF_EE_00_00_07"
          ),
          state: left.state, daemon: left.daemon ?? daemon
        )
      ]
    )
    _ = try host.environment()
    mkdir("\(host.folder.path)/run/blerun", 0o700)
    _ = try host.folder.file("run/blerun/lease-left", lease.text)
    let release = try host.run("doctor", "--release")
    #expect(release.status == 0)
    #expect(try host.isConnected() == !left.isReleased, "\(release.output)")
    #expect(host.leases.isEmpty)
  }
}

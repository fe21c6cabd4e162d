// Devices that ask to pair by themselves, on the bus as bluetoothd shows it.

import BLETesting
import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Security Requests")
struct SecurityRequestTests {
  private static let releases = [BlueZVersion.debian12, .debian13]
  private static let bonded = "DEV Device1 Bonded=true Paired=true"

  private func monitor(
    _ method: PairingDefinition.Method = .justWorks, request: SecurityRequest? = nil
  ) -> DeviceDefinition {
    DeviceDefinition.monitor.changing {
      $0.pairing = PairingDefinition(method, passkey: 42_137, request: request)
    }
  }

  /// The agent of a desktop that answers so; nil: none.
  private func agent(_ text: String?, on lab: Lab) throws -> DesktopAgent? {
    guard let text, let answer = DesktopAgent.Answer(text) else { return nil }
    let agent = DesktopAgent(answer, on: try lab.bus.connect())
    try lab.loop.run { try await agent.start() }
    return agent
  }

  /// Lets a connected device ask to pair, and returns the lines of the 40 s after.
  private func lines(
    _ definition: DeviceDefinition, agent text: String?, _ version: BlueZVersion
  ) throws -> (lines: [String], lab: Lab) {
    let lab = try Lab([definition], settings: SimulatorSettings(version: version))
    let agent = try agent(text, on: lab)
    try lab.connect()
    lab.simulator.apply(.requestSecurity, to: .monitor)
    try lab.pass(.seconds(40))
    withExtendedLifetime(agent) {}
    return (lab.client.take(), lab)
  }

  @Test(
    "an agent that agrees pairs the device, with the method of both sides",
    arguments: [
      ("yes", .justWorks, .encrypted), ("yes", .confirm, .authenticated),
      ("042137", .passkeyEntry, .authenticated),
    ] as [(String, PairingDefinition.Method, LinkSecurity)]
  )
  func pairs(answer: String, method: PairingDefinition.Method, security: LinkSecurity) throws {
    for version in Self.releases {
      let (lines, lab) = try lines(monitor(method), agent: answer, version)
      #expect(lines == [Self.bonded])
      #expect(
        lab.events.suffix(2) == [.securityRequested(.monitor), .paired(.monitor, security)]
      )
      let events = lab.world.log.filter(\.client.isEmpty).map(\.event)
      #expect(
        events.suffix(3) == ["security-requested", "agent-asked", "paired-\(security.rawValue)"]
      )
    }
  }

  @Test(
    "without an agent, or with one that refuses, nothing happens, and the connection stays",
    arguments: [(nil, ["agent-missing"]), ("no", ["agent-asked", "agent-missing"])]
      as [(String?, [String])]
  )
  func refusedHere(answer: String?, events: [String]) throws {
    for version in Self.releases {
      let (lines, lab) = try lines(monitor(), agent: answer, version)
      #expect(lines == [])
      #expect(lab.simulator.connectedDevices == [.monitor])
      #expect(try lab.client.property("Paired", .device) == .boolean(false))
      let logged = lab.world.log.filter(\.client.isEmpty).map(\.event)
      #expect(Array(logged.suffix(events.count + 1)) == ["security-requested"] + events)
      #expect(
        try lab.client.ask("ReadValue", .location, .noOptions).hasPrefix("ReadValue replied")
      )
    }
  }

  @Test("a device that then refuses, or detects a wrong passkey, loses its connection")
  func refusedThere() throws {
    for (method, answer) in [(PairingDefinition.Method.reject, "yes"), (.passkeyEntry, "000001")] {
      for version in Self.releases {
        let (lines, lab) = try lines(monitor(method), agent: answer, version)
        #expect(lines.contains("DEV Device1 ServicesResolved=false Connected=false"), "\(lines)")
        #expect(lab.simulator.connectedDevices == [])
        #expect(try lab.client.property("Paired", .device) == .boolean(false))
      }
    }
  }

  @Test("a pairing that begins with the connection is announced with the services")
  func whenConnected() throws {
    for version in Self.releases {
      let definition = monitor(request: SecurityRequest(.connected))
      let lab = try Lab([definition], settings: SimulatorSettings(version: version))
      let agent = try agent("yes", on: lab)
      try lab.discover()
      #expect(try lab.client.ask("Connect", .device) == "Connect replied")
      try lab.pass(.seconds(1))
      let lines = lab.client.take()
      #expect(lines.contains("DEV Device1 Bonded=true"), "\(lines)")
      #expect(lines.contains { $0.hasSuffix("ServicesResolved=true Paired=true") }, "\(lines)")
      // A connection that is encrypted with the key of the bond needs no request.
      lab.forgetEvents()
      try lab.client.call("Disconnect", .device)
      try lab.client.call("Connect", .device)
      try lab.pass(.seconds(5))
      #expect(!lab.events.contains(.securityRequested(.monitor)))
      withExtendedLifetime(agent) {}
    }
  }

  @Test("a device that is not paired with in time disconnects")
  func disconnects() throws {
    let definition = monitor(request: SecurityRequest(.connected, disconnectingAfter: .seconds(5)))
    let lab = try Lab.connected([definition])
    try lab.pass(.seconds(6))
    #expect(lab.client.lines.contains("DEV Device1 ServicesResolved=false Connected=false"))
    #expect(lab.simulator.connectedDevices == [])
  }

  @Test("a test lets a connected device ask, over the control interface")
  func control() throws {
    let control = try ControlLab()
    let refusal = try control.refusal("RequestSecurity", .string("Lab HRM"))
    #expect(refusal.name.rawValue == "blerun.Simulator1.Error.NotConnected")
    try control.lab.connect()
    try control.steer("RequestSecurity", .string("Lab HRM"))
    try control.lab.pass()
    #expect(control.lab.events.last == .securityRequested(.monitor))
  }
}

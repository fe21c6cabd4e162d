// A simulation controlled over the bus, as a program in another language controls it.

import BLETesting
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

/// The simulated org.bluez, blerun.Simulator1 beside it, and a client of each.
struct ControlLab {
  let lab: Lab
  /// The client that controls the simulation.
  let person: MessageBus
  /// The signals of blerun.Simulator1.
  let signals = Recorded<Message>()
  private let server: ControlServer

  init(_ definitions: [DeviceDefinition] = [.monitor], faults: [FaultRule] = []) throws {
    lab = try Lab(definitions, faults: faults)
    let bus = lab.bus
    let server = ControlServer(lab.world.steering, on: try bus.connect())
    self.server = server
    let (person, signals) = (try bus.connect(), signals)
    self.person = person
    try lab.loop.run {
      _ = try await person.subscribe(MatchRule(sender: ControlNames.bus)) { signals.add($0) }
      try await server.start()
    }
  }

  /// Calls a method of blerun.Simulator1.
  @discardableResult
  func steer(_ member: String, _ body: DBusValue...) throws -> [DBusValue] {
    try call(member, body)
  }

  /// The refusal of a call.
  func refusal(_ member: String, _ body: DBusValue...) throws -> DBusError {
    try #require(throws: DBusError.self) { _ = try call(member, body) }
  }

  private func call(_ member: String, _ body: [DBusValue]) throws -> [DBusValue] {
    let call = try MethodCall(
      destination: ControlNames.bus, path: ControlNames.path, interface: ControlNames.interface,
      member: member, body: body
    )
    let person = person
    return try lab.loop.run { try await person.call(call, limit: .seconds(100)).body }
  }

  /// The entries of ReadLog above a number: client, event, device, attribute and octets.
  func log(since number: UInt64 = 0) throws -> [String] {
    try steer("ReadLog", .uint64(number))[0].asArray?.map { entry in
      let fields = entry.asStructure ?? []
      let texts = fields[2...5].map { $0.asString ?? "?" }
      let octets = fields[6].asBytes ?? []
      return (texts + [octets.isEmpty ? "" : "\(octets)"]).filter { !$0.isEmpty }
        .joined(separator: " ")
    } ?? []
  }
}

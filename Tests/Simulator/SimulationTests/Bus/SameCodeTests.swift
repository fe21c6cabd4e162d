// One chain on an in-memory bus and on dbus-daemon has the same outcome and messages.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("The in-memory bus and dbus-daemon compared", .blocking)
struct SameCodeTests {
  /// The outcome of a chain, and its requests to bluetoothd.
  struct Course: Equatable {
    var value: [UInt8]
    var failure: String?
    /// The calls of the client, in the order in which bluetoothd got them.
    var calls: [String]
    var history: [String]
  }

  /// The faults that need no time to pass.
  ///
  /// A link that is lost as soon as it stands races the client's next call: which of the two
  /// bluetoothd sees first is a matter of the bus's speed.
  static let faults = FaultCase.all.filter { fault in
    switch fault.action {
    case .slow: false
    case .loseLinkAfter: fault.step != .connect && fault.step != .discover
    default: true
    }
  }

  /// As fast as it goes; peers that never answer are given up soon.
  static let settings: SimulatorSettings = {
    var settings = SimulatorSettings.instant
    settings.connectTimeout = .milliseconds(20)
    settings.attTimeout = .milliseconds(20)
    return settings
  }()

  @Test("a chain with each fault ends the same way on both buses", arguments: sampled(faults))
  func chain(_ fault: FaultCase) throws {
    let daemon = try PrivateDaemon()
    let inMemory = try course(fault, over: nil)
    let overDaemon = try course(fault, over: daemon)
    #expect(inMemory == overDaemon)
    #expect(inMemory.calls.contains { $0.hasSuffix("Device1.Connect") })
    #expect(inMemory.history.last?.hasSuffix("link down") == true || fault.step == .connect)
  }

  private func course(_ fault: FaultCase, over daemon: PrivateDaemon?) throws -> Course {
    let calls = Recorded<String>()
    let simulation = try Simulation(
      on: EventLoop(), over: daemon, faults: [fault.rule], settings: Self.settings,
      hold: { message in
        calls.add(Self.text(message))
        return .zero
      }
    )
    let outcome = FaultCase.chain(simulation.service).firstOrDefault([], within: .seconds(60))
    #expect(!simulation.ledger.isUp)
    #expect(simulation.ledger.violations == [])
    for connection in [simulation.client.bus, simulation.simulator.bus] { connection.close() }
    return Course(
      value: outcome.value, failure: outcome.error.map { "\($0)" }, calls: calls.all,
      history: simulation.history
    )
  }

  /// `/org/bluez/hci0 Adapter1.StartDiscovery`, and the arguments.
  private static func text(_ message: Message) -> String {
    let interface = message.interface?.split(separator: ".").last ?? ""
    let path = message.path.map { "\($0)" } ?? ""
    return "\(path) \(interface).\(message.member ?? "") \(message.body)"
      .trimmingSuffix(" []")
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}

// A simulated bluetoothd on a bus of a test's own, which outlives the runs that use it.

import BlueZ
import Bluetooth
import DBus
import Fixtures
import Foundation
import Signals
import Testing

@testable import Program

/// `blerun simulate` with one device, or more, and folders of its own for leases and journals.
final class SimulatedHost {
  /// A chest strap that connects and answers at once, on a host that ends links at once.
  static let quick = """
    scenario: Quick
    host: { disconnect-delay: 20ms }
    devices:
      - name: Quick-1
        address: C0:FF:EE:00:00:07
        advertisement: { services: [heart-rate], interval: 20ms }
        link: { connect-time: 5ms, latency: 1ms }
        services:
          - service: heart-rate
            characteristics:
              - characteristic: heart-rate-measurement
                properties: [notify]
                series: { values: [{ hex: "00 48" }, { hex: "00 49" }], every: 10ms }
              - characteristic: body-sensor-location
                properties: [read]
                value: { u8: 1 }
    """

  let folder: TemporaryFolder
  let address: String
  let device = "C0:FF:EE:00:00:07"
  private let simulation: RunningProgram

  /// - Parameter text: The devices and the faults.
  init(_ text: String = SimulatedHost.quick) throws {
    folder = try TemporaryFolder()
    let scenario = try folder.file("scenario.yaml", text)
    simulation = try RunningProgram(blerun: ["simulate", scenario], limit: .seconds(1800))
    address = try simulation.waitForText(after: "DBUS_SYSTEM_BUS_ADDRESS=")
  }

  deinit {
    simulation.send(SIGTERM)
    _ = simulation.end()
  }

  var journal: String { "\(folder.path)/blerun/journal.sqlite" }

  /// The environment of programs on this host.
  ///
  /// - Parameter user: Programs of different users cannot see each other.
  func environment(user: String = "") throws -> [String: String] {
    let runtime = "\(folder.path)/run\(user)"
    mkdir(runtime, 0o700)
    return [
      "DBUS_SYSTEM_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": runtime,
      "XDG_STATE_HOME": folder.path,
    ]
  }

  /// Starts a program on this host.
  func start(_ arguments: [String], user: String = "") throws -> RunningProgram {
    try RunningProgram(blerun: arguments, environment: try environment(user: user))
  }

  func run(_ arguments: String...) throws -> RunningProgram.Ended { try start(arguments).end() }

  /// The names of the leases there are.
  var leases: [String] {
    RuntimeFolder(path: "\(folder.path)/run/blerun").names.filter { $0.hasPrefix("lease") }
  }

  /// Inspects the host like any client.
  func look<R: Sendable>(_ look: @escaping @Sendable (BlueZClient) async throws -> R) throws -> R {
    let loop = EventLoop()
    defer { loop.end() }
    let address = address
    return try loop.run {
      let client = try await BlueZClient.open(address: .given(address), on: loop)
      defer { client.bus.close() }
      return try await look(client)
    }
  }

  /// Whether the device has a link.
  func isConnected() throws -> Bool { try look { !$0.linkFacts.isEmpty } }
}

// A fleet of real processes under a plan of disturbances: a server, gateways with simulated
// devices, and a batch.

import Fixtures
import Foundation
import Glibc
import Testing

#if Fleet
  /// A fleet under disturbances, until its batch has ended.
  final class DisturbedFleet {
    static let gateways = 8
    /// How many connections each gateway may hold.
    static let connections = 4
    /// How many devices are near to each gateway. The gateway beside it observes them, too.
    static let devicesOfEach = 50
    /// How long the batch may take.
    static let limit = 480.0

    private struct Gateway {
      var program: RunningProgram?
      /// The index of its process in the histories.
      var process = 0
      /// When it is started, unless it runs.
      var startsAt: Double?
      var starts = 0
    }

    let folder: TemporaryFolder
    private let server: NATSServer
    private var gateways: [Gateway] = []
    /// The disturbances of each gateway process.
    private(set) var histories: [ProcessHistory] = []
    /// The disturbances of the server.
    private(set) var serverHistory = ProcessHistory(name: "server", begun: ProcessHistory.now)
    private(set) var outages: [(from: Double, to: Double)] = []
    private var outageSince: Double?
    private var began = 0.0

    init() throws {
      folder = try TemporaryFolder()
      server = try NATSServer()
      for number in 0..<Self.gateways {
        _ = try folder.file("room-\(number).yaml", Self.room(number))
        gateways.append(Gateway())
        try start(number)
      }
    }

    private var url: String { server.address(of: "test") }

    // MARK: The devices

    static func address(_ place: Int, _ number: Int) -> String {
      let last = String(number + 256, radix: 16).uppercased().suffix(2)
      return "C0:FF:EE:1\(place):00:\(last)"
    }

    static var addresses: [String] {
      (0..<gateways).flatMap { place in (0..<devicesOfEach).map { address(place, $0) } }
    }

    /// The devices that a gateway observes: its own, and more weakly those of the next one.
    private static func room(_ number: Int) -> String {
      let groups = [(number, -55), ((number + 1) % gateways, -75)].map { place, rssi in
        """
          - name: Place\(place)-#
            address: \(address(place, 0))
            count: \(devicesOfEach)
            advertisement: { interval: 4s, rssi: \(rssi) }
            services:
              - service: battery
                characteristics:
                  - { characteristic: battery-level, properties: [read], value: { u8: 87 } }
              - service: immediate-alert
                characteristics:
                  - { characteristic: alert-level, properties: [write], value: { u8: 0 } }
        """
      }
      return "scenario: Room\nhost: { disconnect-delay: 300ms }\ndevices:\n"
        + groups.joined(separator: "\n") + "\n"
    }

    /// The chain: its operations are a connect, a read, two writes and a read.
    static let operations: [GatewaySpell.Operation] = [
      .connect, .read, .write("0x01"), .write("0x02"), .read,
    ]

    private static var batch: String {
      """
      name: Disturbed
      steps:
        - read: battery-level
        - sleep: 500ms
        - { write: alert-level, value: { u8: 1 } }
        - sleep: 1s
        - { write: alert-level, value: { u8: 2 } }
        - read: battery-level
      devices: [\(addresses.map { "\"\($0)\"" }.joined(separator: ", "))]

      """
    }

    // MARK: Processes

    /// Runs blerun with its streams in files.
    private func run(_ arguments: [String], streams: String) throws -> RunningProgram {
      try RunningProgram(
        [
          "/bin/sh", "-c", "exec \"$0\" \"$@\" >'\(streams).out' 2>'\(streams).err'", binaryPath,
        ] + arguments,
        in: folder.path,
        environment: [
          "BLERUN_FLEET": url, "XDG_STATE_HOME": folder.path, "PATH": "/usr/bin:/bin",
        ],
        limit: .seconds(Self.limit + 60)
      )
    }

    func busLog(_ process: Int) -> String { "\(folder.path)/\(histories[process].name).bus" }

    private func start(_ number: Int) throws {
      gateways[number].starts += 1
      let name = "g\(number)-\(gateways[number].starts)"
      let arguments = [
        "gateway", "--name", "g\(number)", "--state", "g\(number).json", "--simulate",
        "room-\(number).yaml", "--bus-log", "\(name).bus", "--no-journal", "--connections",
        "\(Self.connections)",
      ]
      histories.append(ProcessHistory(name: name, begun: ProcessHistory.now))
      gateways[number].process = histories.count - 1
      gateways[number].startsAt = nil
      gateways[number].program = try run(arguments, streams: name)
    }

    private func kill(_ number: Int) {
      guard let program = gateways[number].program else { return }
      histories[gateways[number].process].killed()
      program.send(SIGKILL)
      _ = program.end()
      gateways[number].program = nil
    }

    /// Starts those that are due again, as systemd does, also where the server could not be reached.
    private func supervise() throws {
      for number in gateways.indices {
        if let program = gateways[number].program, program.hasExited() {
          let status = program.end().status
          let name = histories[gateways[number].process].name
          #expect(status == 69, "\(name) ended with \(status): \(text("\(name).err").suffix(300))")
          gateways[number].program = nil
          gateways[number].startsAt = ProcessHistory.now + 1
        }
        if let due = gateways[number].startsAt, due <= ProcessHistory.now { try start(number) }
      }
    }

    func text(_ file: String) -> String {
      (try? String(contentsOfFile: "\(folder.path)/\(file)", encoding: .utf8)) ?? ""
    }

    // MARK: The run

    /// Runs the batch while the plan happens.
    ///
    /// - Returns: The exit status of the batch; nil when it did not end in time.
    func run(_ plan: [FleetDisturbance]) throws -> Int32? {
      _ = try folder.file("batch.yaml", Self.batch)
      let batch = try run(
        ["batch", "batch.yaml", "--fleet", url, "--output", "json"], streams: "batch"
      )
      try wait(until: 120) { self.text("batch.out").contains("batch-started") }
      began = ProcessHistory.now
      var moments = plan.flatMap {
        [(at: $0.from, $0, isEnd: false), (at: $0.to, $0, isEnd: true)]
      }
      moments.sort { $0.at < $1.at }
      for moment in moments {
        try wait(until: moment.at) { batch.hasExited() }
        moment.isEnd ? try end(moment.1) : begin(moment.1)
        if batch.hasExited() {
          // Ends the disturbances that have begun.
          for other in moments
          where other.isEnd && other.1.from <= moment.at && other.at > moment.at {
            try end(other.1)
          }
          break
        }
      }
      try wait(until: Self.limit) { batch.hasExited() }
      guard batch.hasExited() else { return nil }
      return batch.end().status
    }

    /// Waits until a moment of the run, or until something has happened.
    private func wait(until moment: Double, _ hasHappened: () -> Bool) throws {
      let start = began == 0 ? ProcessHistory.now : began
      while ProcessHistory.now - start < moment, !hasHappened() {
        try supervise()
        poll(nil, 0, 20)
      }
    }

    private func begin(_ disturbance: FleetDisturbance) {
      switch (disturbance.victim, disturbance.kind) {
      case (.server, .stop): server.pause()
      case (.server, _): server.kill()
      case (.gateway(let number), .kill): kill(number)
      case (.gateway(let number), _):
        histories[gateways[number].process].stopped()
        gateways[number].program?.send(SIGSTOP)
      }
      if disturbance.victim == .server { outageSince = ProcessHistory.now }
    }

    private func end(_ disturbance: FleetDisturbance) throws {
      switch (disturbance.victim, disturbance.kind) {
      case (.server, .stop): server.resume()
      case (.server, _): try server.restart()
      case (.gateway(let number), .kill): gateways[number].startsAt = ProcessHistory.now
      case (.gateway(let number), .stop):
        gateways[number].program?.send(SIGCONT)
        histories[gateways[number].process].continued()
      case (.gateway(let number), .stopAndKill):
        kill(number)
        gateways[number].startsAt = ProcessHistory.now
      }
      if disturbance.victim == .server, let since = outageSince {
        outages.append((since, ProcessHistory.now))
      }
    }

    /// Copies its files to the folder BLERUN_FLEET_KEEP, where that is set.
    func keepFiles(as name: String) {
      guard let kept = ProcessInfo.processInfo.environment["BLERUN_FLEET_KEEP"] else { return }
      try? FileManager.default.copyItem(atPath: folder.path, toPath: "\(kept)/\(name)")
    }

    /// The jobs as the fleet knows them, by device: the state, and the gateway that reported it.
    ///
    /// The server sends a record to its subscribers before it stores it: on a slow disk the batch
    /// ends before the last records can be read, and before the last devices are released.
    func jobs() throws -> [String: (state: String, gateway: String?)] {
      let unread: Set = ["waiting", "running", "started", "unknown to the store"]
      var jobs = try storedJobs()
      let latest = ProcessHistory.now + 60
      while ProcessHistory.now < latest, jobs.values.contains(where: { unread.contains($0.state) })
      {
        jobs = try storedJobs()
      }
      return jobs
    }

    private func storedJobs() throws -> [String: (state: String, gateway: String?)] {
      _ = try run(["fleet", "jobs", "--all", "--output", "json"], streams: "jobs").end()
      var jobs: [String: (String, String?)] = [:]
      for line in text("jobs.out").split(separator: "\n") {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard let device = object?["device"] as? String else { continue }
        jobs[device] = (object?["state"] as? String ?? "", object?["gateway"] as? String)
      }
      return jobs
    }

    /// Ends the gateways, and checks that they leave nothing.
    func leave() throws {
      // A gateway that is waiting to be restarted, or is starting, settles the jobs in its journal.
      try wait(until: ProcessHistory.now - began + 60) {
        self.gateways.allSatisfy { gateway in
          let name = self.histories[gateway.process].name
          return gateway.program != nil && self.text("\(name).err").contains("has joined fleet")
        }
      }
      for gateway in gateways { gateway.program?.send(SIGTERM) }
      for (number, gateway) in gateways.enumerated() {
        let status = gateway.program?.end().status
        let name = histories[gateway.process].name
        #expect(status == 143, "\(name): \(status ?? -1) \(text("\(name).err").suffix(300))")
        let journal = text("g\(number).json")
        #expect(journal.contains("\"entries\":[]"), "\(name) has left \(journal)")
      }
    }
  }
#endif

// Shared by tests of fleets: a server, gateways, batches, commands.

#if Fleet
  import Fixtures
  import Foundation
  import Testing

  /// A fleet of a test's own, as the base of a suite: a server, and a folder where commands run.
  class FleetOfProcesses {
    let folder: TemporaryFolder
    let server: NATSServer

    init() throws {
      folder = try TemporaryFolder()
      server = try NATSServer()
    }

    // MARK: Devices

    /// The address of a simulated battery, from 1.
    func address(_ number: Int) -> String {
      "C0:FF:EE:00:01:" + String(number + 0x100, radix: 16).uppercased().suffix(2)
    }

    /// Simulated batteries, one file each.
    func devices(_ count: Int) throws -> [String] {
      let path = projectFolder + "/Simulators/devices/battery.yaml"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      return try (1...count).map { number in
        try folder.file(
          "device-\(number).yaml",
          text.replacingOccurrences(of: "C0:FF:EE:00:00:03", with: address(number))
            .replacingOccurrences(of: "Battery-1", with: "Battery-\(number)")
        )
      }
    }

    // MARK: Processes

    /// Starts a command about the fleet.
    func run(_ arguments: String...) throws -> RunningProgram { try start(arguments) }

    private func start(
      _ arguments: [String], environment: [String: String] = [:]
    ) throws -> RunningProgram {
      let own = ["BLERUN_FLEET": server.address(of: "test"), "XDG_STATE_HOME": folder.path]
      return try RunningProgram(
        blerun: arguments, in: folder.path,
        environment: environment.merging(own) { first, _ in first }, limit: .seconds(600)
      )
    }

    /// Starts a gateway on simulated devices; without any, on the host of the environment.
    func gateway(
      _ name: String, _ devices: [String] = [], options: [String] = [],
      environment: [String: String] = [:]
    ) throws -> RunningProgram {
      let own = ["gateway", "--name", name, "--state", "\(folder.path)/\(name).json"]
      let simulated = devices.flatMap { ["--simulate", $0] }
      return try start(own + options + simulated, environment: environment)
    }

    /// Ends gateways as systemd does.
    func leave(_ gateways: RunningProgram...) {
      for gateway in gateways { gateway.send(SIGTERM) }
      for gateway in gateways {
        let left = gateway.end()
        let hasLeft = left.errors.contains("has left fleet test")
        #expect(left.status == 143 && hasLeft, "\(left.status) \(left.errors)")
      }
    }

    /// The file of a batch.
    ///
    /// - Parameters:
    ///   - steps: A step each, as in a list: `read: battery-level`.
    ///   - devices: Their addresses.
    ///   - more: Further lines of the file.
    func batch(_ steps: [String], on devices: [String], _ more: String = "") throws -> String {
      let chain = steps.map { "{ \($0) }" }.joined(separator: ", ")
      let list = devices.map { "\"\($0)\"" }.joined(separator: ", ")
      return try folder.file("batch.yaml", "\(more)steps: [\(chain)]\ndevices: [\(list)]\n")
    }

    /// Starts a batch on the fleet.
    func submit(_ file: String, _ options: String...) throws -> RunningProgram {
      let arguments = ["batch", file, "--fleet", server.address(of: "test")]
      return try start(arguments + options)
    }

    // MARK: What happens

    /// How the runs of a batch ended, by device.
    func endings(_ lines: [String]) throws -> [String: [String]] {
      var endings: [String: [String]] = [:]
      for line in lines {
        guard let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
          event["event"] as? String == "run-finished", let device = event["device"] as? String
        else { continue }
        let code = (event["error"] as? [String: Any])?["code"] as? String
        endings[device, default: []].append(code ?? event["status"] as? String ?? "")
      }
      return endings
    }

    /// Waits five minutes for a condition: a job of which no gateway heard begins with the next search, once a minute.
    /// By the clock, as many conditions start a process each time.
    func wait(
      until isSo: () throws -> Bool, _ location: SourceLocation = #_sourceLocation
    ) throws {
      let latest = ContinuousClock.now + .seconds(300)
      repeat {
        if try isSo() { return }
        poll(nil, 0, 20)
      } while ContinuousClock.now < latest
      Issue.record("the condition was not met in five minutes", sourceLocation: location)
    }

    /// Waits until a gateway has joined the fleet.
    func wait(for gateway: String) throws {
      try wait { try run("fleet", "gateways").end().output.contains("\(gateway)  0 running") }
    }

    /// Waits until a gateway begins a job. Its journal shows that at once: a command that lists the jobs takes
    /// longer than a chain on a busy machine.
    ///
    /// - Parameters:
    ///   - gateways: The names of the gateways.
    ///   - count: The number of jobs that one of them must have begun.
    /// - Returns: The first gateway with so many jobs; nil if none began them in time.
    @discardableResult
    func waitForJob(at gateways: String..., count: Int = 1) throws -> String? {
      var owner: String?
      try wait {
        owner = gateways.first { name in
          let path = "\(folder.path)/\(name).json"
          let journal = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
          return journal.components(separatedBy: "\"job\":").count > count
        }
        return owner != nil
      }
      return owner
    }

    /// Waits until all jobs have ended, and lists them. A job that was reported as ended still counts as running
    /// until its device is released.
    func endedJobs() throws -> [String] {
      var lines: [String] = []
      try wait {
        lines = try run("fleet", "jobs", "--all").end().lines
        return !lines.contains { line in
          ["  waiting", "  running", "  started", "  unknown to"].contains { line.contains($0) }
        }
      }
      return lines
    }

    /// Polls the jobs until they show the expected state; rarely, as each poll starts a process.
    func jobs(show isAwaited: (RunningProgram.Ended) -> Bool) throws {
      try wait {
        poll(nil, 0, 200)
        return isAwaited(try run("fleet", "jobs").end())
      }
    }
  }
#endif

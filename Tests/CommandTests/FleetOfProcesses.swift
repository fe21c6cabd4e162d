// What tests of fleets have in common: a server, gateways on simulated devices, commands.

#if Fleet
  import Fixtures
  import Foundation
  import Testing

  /// A test with a server of its own.
  protocol FleetOfProcesses {
    var folder: TemporaryFolder { get }
    var server: NATSServer { get }
  }

  extension FleetOfProcesses {
    var url: String { server.address(of: "test") }

    func run(_ arguments: String..., limit: Duration = .seconds(120)) throws
      -> RunningProgram
    {
      try RunningProgram(
        blerun: arguments,
        in: folder.path,
        environment: ["BLERUN_FLEET": url, "XDG_STATE_HOME": folder.path],
        limit: limit
      )
    }

    /// Simulated batteries, one file each.
    func devices(_ count: Int) throws -> [String] {
      let path = packageFolder + "/Simulators/devices/battery.yaml"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      return try (1...count).map { number in
        let address = "C0:FF:EE:00:01:" + (number < 16 ? "0" : "") + String(number, radix: 16)
        return try folder.file(
          "device-\(number).yaml",
          text.replacingOccurrences(of: "C0:FF:EE:00:00:03", with: address.uppercased())
            .replacingOccurrences(of: "Battery-1", with: "Battery-\(number)")
        )
      }
    }

    func gateway(_ name: String, _ devices: [String]) throws -> RunningProgram {
      let simulated = devices.flatMap { ["--simulate", $0] }
      return try RunningProgram(
        blerun: ["gateway", "--name", name, "--state", "\(name).json"] + simulated,
        in: folder.path,
        environment: ["BLERUN_FLEET": url],
        limit: .seconds(300)
      )
    }

    func batch(_ steps: String, _ devices: Int) throws -> String {
      let list = (1...devices).map { number in
        "C0:FF:EE:00:01:" + (number < 16 ? "0" : "") + String(number, radix: 16).uppercased()
      }
      let text =
        "name: Test\nsteps:\n\(steps)\ndevices: [\(list.map { "\"\($0)\"" }.joined(separator: ", "))]\n"
      return try folder.file("batch-\(devices).yaml", text)
    }

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

    /// Waits until something is so, at most a minute.
    func wait(until isSo: () throws -> Bool) throws {
      for _ in 0..<6000 {
        if try isSo() { return }
        poll(nil, 0, 10)
      }
      Issue.record("what was awaited never came")
    }

    /// Looks at the jobs until they show what is awaited; each look takes some 100 ms.
    func jobs(show isAwaited: (RunningProgram.Ended) -> Bool) throws {
      for _ in 0..<300 where isAwaited(try run("fleet", "jobs").end()) { return }
      Issue.record("the jobs never showed what was awaited")
    }
  }
#endif

// Events of jobs reach every follower, even if the server was down and the process of a
// gateway was killed.

#if Fleet
  import Fixtures
  import Foundation
  import Testing

  @Suite("Events of a fleet", .blocking, .needsNATSServer)
  final class FleetEventsTests: FleetOfProcesses {
    /// The events of runs in what a program printed: their names, with the step.
    private func events(_ lines: [String]) throws -> [String] {
      try lines.compactMap { line in
        guard let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
          let name = event["event"] as? String, event["run"] != nil
        else { return nil }
        return (event["step"] as? String).map { "\(name) \($0)" } ?? name
      }
    }

    @Test(
      "every event is printed once and in order, despite a server outage and a killed gateway"
    )
    func serverAway() throws {
      let steps = ["read: battery-level", "sleep: 10s", "read: battery-level"]
      let running = try submit(batch(steps, on: [address(1)]), "--output", "json")
      try running.waitForOutput("batch-started")
      var job = ""
      try jobs { shown in
        job = shown.output.split(separator: " ").first.map(String.init) ?? ""
        return !job.isEmpty
      }
      let following = try run("fleet", "follow", job, "--output", "json")
      // Only now: the chain must still run when the server is killed, however long the commands take to start.
      var gateway = try self.gateway("a", try devices(1))
      try following.waitForOutput("run-started")
      server.kill()
      let journal = "\(folder.path)/a.json"
      try wait { try String(contentsOfFile: journal, encoding: .utf8).contains("ended") }
      // A restarted gateway sends only the events requested of it.
      gateway.send(SIGKILL)
      _ = gateway.end()
      try server.restart()
      gateway = try self.gateway("a", try devices(1))
      let followed = following.end()
      let ended = running.end()
      #expect(followed.status == 0 && ended.status == 0, "\(followed.errors)\n\(ended.errors)")
      let expected = [
        "run-started", "step-started connect", "step-finished connect", "step-started 1",
        "value 1", "step-finished 1", "step-started 2", "step-finished 2", "step-started 3",
        "value 3", "step-finished 3", "step-started disconnect", "step-finished disconnect",
        "run-finished",
      ]
      #expect(try events(followed.lines) == expected, "\(followed.output)")
      #expect(try events(ended.lines) == expected, "\(ended.output)")
      leave(gateway)
    }
  }
#endif

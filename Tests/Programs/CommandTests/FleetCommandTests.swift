// Fleets of real processes: a server, gateways on simulated devices, batches.

#if Fleet
  import Fixtures
  import Foundation
  import Testing

  @Suite("A fleet of processes", .blocking, .needsNATSServer)
  final class FleetCommandTests: FleetOfProcesses {
    @Test("a gateway that is killed loses no job: every device ends exactly once")
    func killed() throws {
      let devices = try devices(6)
      var gateways = try ["a", "b", "c"].map { try gateway($0, devices) }
      let steps = ["read: battery-level", "sleep: 4s", "read: battery-level"]
      let running = try submit(batch(steps, on: (1...6).map(address)), "--output", "json")
      // A gateway is killed as soon as it has a job.
      let owner = try waitForJob(at: "a", "b", "c")
      let index = try #require(["a", "b", "c"].firstIndex(of: owner ?? ""))
      gateways[index].send(SIGKILL)
      let ended = running.end()
      let endings = try endings(ended.lines)
      #expect(endings.count == 6 && endings.values.allSatisfy { $0.count == 1 }, "\(endings)")
      // The chains only read: they are run again.
      #expect(endings.values.allSatisfy { $0 == ["ok"] } && ended.status == 0, "\(endings)")
      // The last devices are released a moment after the ends of their jobs.
      try wait {
        try run("fleet", "status", "--output", "json").end().output
          .contains("\"running\":0,\"waiting\":0")
      }
      gateways.remove(at: index)
      leave(gateways[0], gateways[1])
    }

    @Test("a detached batch has announced its jobs when it exits")
    func announced() throws {
      let server = try NATSServer("jetstream { store_dir: \"store\" }\ntrace: true")
      let file = try batch(["read: battery-level"], on: [address(1)])
      let detached = try run("batch", file, "--fleet", server.address(of: "test"), "--detach")
      let subject = address(1).replacingOccurrences(of: ":", with: "")
      // Read while the batch runs: a server whose log is not read stops.
      try server.waitForLog("PUB blerun.test.announce.\(subject)")
      let ended = detached.end()
      #expect(ended.status == 0, "\(ended.errors)")
    }

    @Test("Ctrl-C cancels the jobs; a second one detaches and prints how to follow them")
    func cancelled() throws {
      let gateway = try gateway("a", try devices(1))
      let file = try batch(["read: battery-level", "sleep: 60s"], on: [address(1)])
      let first = try submit(file, "--output", "json")
      try first.waitForOutput("batch-started")
      try jobs { $0.output.contains("running  a") }
      first.send(SIGINT)
      let ended = first.end()
      #expect(ended.status == 130 && ended.output.contains("\"cancelled\":1"), "\(ended.output)")
      let second = try submit(file, "--output", "json")
      try second.waitForOutput("batch-started")
      try jobs { $0.output.contains("running  a") }
      // A gateway that reacts immediately would leave nothing to wait for.
      gateway.pause()
      second.send(SIGINT)
      try jobs { $0.output.contains("to be cancelled") }
      // Within a second it would count as the same request.
      Thread.sleep(forTimeInterval: 1.1)
      second.send(SIGINT)
      let left = second.end()
      gateway.send(SIGCONT)
      #expect(left.status == 130 && left.errors.contains("follow them with"), "\(left.errors)")
      leave(gateway)
    }

    @Test("a detached batch can be followed to its end, and drained gateways exit")
    func detached() throws {
      let gateway = try gateway("a", try devices(2), options: ["--metrics", "a.prom"])
      let file = try batch(["read: battery-level"], on: [address(1), address(2)])
      let left = try submit(file, "--detach").end()
      #expect(left.status == 0, "\(left.errors)")
      let mark = "follow them with: blerun fleet follow "
      let rest = try #require(left.errors.components(separatedBy: mark).dropFirst().first)
      let name = String(rest.prefix { $0 != " " })
      let followed = try run("fleet", "follow", name).end()
      #expect(followed.status == 0, "\(followed.errors)")
      #expect(followed.output.contains("\(name)-2  C0:FF:EE:00:01:02  ok"), "\(followed.output)")
      #expect(followed.output.contains("read battery-level"), "\(followed.output)")
      // The devices are released a moment after the ends of their jobs.
      try jobs { $0.output == "" }
      let again = try run("fleet", "cancel", name).end()
      #expect(again.status == 0 && again.errors.contains("0 jobs to be cancelled"))
      #expect(try run("fleet", "drain", "a").end().status == 0)
      let end = gateway.end()
      #expect(end.status == 0 && end.errors.contains("has left fleet test"), "\(end.errors)")
      let metrics = try String(contentsOfFile: "\(folder.path)/a.prom", encoding: .utf8)
      for line in [
        "blerun_runs_total{gateway=\"a\",result=\"ok\"} 2",
        "blerun_operations_total{gateway=\"a\",operation=\"read\",result=\"ok\"} 2",
        "blerun_connects_total{gateway=\"a\",adapter=\"hci0\",result=\"ok\"} 2",
        "blerun_runs_under_way{gateway=\"a\"} 0",
      ] {
        #expect(metrics.split(separator: "\n").contains { $0 == line }, "\(metrics)")
      }
      // An entry that could not be removed in time stays for half a minute.
      try wait {
        let gone = try run("fleet", "gateways").end()
        return gone.output.hasPrefix("a  gone, last seen 20") && gone.lines.count == 1
      }
      #expect(try run("fleet", "forget", "a").end().status == 0)
      #expect(try run("fleet", "gateways").end().output == "")
      #expect(try run("fleet", "forget", "a").end().status == 1)
    }

    @Test(
      "a resumed batch follows jobs that its killed submitter has left, and runs what failed again")
    func resumed() throws {
      let gateway = try gateway("a", try devices(1))
      try wait(for: "a")
      let steps = ["read: battery-level", "sleep: 8s"]
      let file = try batch(steps, on: [address(1), address(9)])
      let killed = try submit(file, "--patience", "40s", "--output", "json")
      try killed.waitForOutput("batch-started")
      try waitForJob(at: "a")
      killed.send(SIGKILL)
      _ = killed.end()
      let resumed = try submit(file, "--resume", "--patience", "40s", "--output", "json").end()
      let endings = try endings(resumed.lines)
      #expect(endings == [address(1): ["ok"], address(9): ["no-gateway"]], "\(resumed.account)")
      // The device that succeeded is left out now.
      let again = try submit(file, "--resume", "--patience", "8s", "--output", "json").end()
      #expect(try self.endings(again.lines) == [address(9): ["no-gateway"]], "\(again.account)")
      gateway.send(SIGTERM)
      let left = gateway.end()
      let begun = left.errors.components(separatedBy: "begins on \(address(1))").count - 1
      #expect(begun == 1, "\(left.errors)")
    }

    @Test("a variable of the environment can be read by the gateway alone")
    func gatewayEnvironment() throws {
      let gateway = try gateway(
        "a", try devices(1), options: ["--environment", "SECRET"],
        environment: ["SECRET": "from-gateway"]
      )
      try wait(for: "a")
      let file = try batch(
        ["log: \"{SECRET}\"", "read: battery-level"], on: [address(1)], "environment: [SECRET]\n"
      )
      func run(_ options: String...) throws -> RunningProgram.Ended {
        try RunningProgram(
          blerun: ["batch", file, "--fleet", server.address(of: "test"), "--each-step"] + options,
          in: folder.path, environment: ["XDG_STATE_HOME": folder.path, "SECRET": "from-desk"]
        ).end()
      }
      let there = try run("--gateway-environment")
      #expect(there.status == 0 && there.output.contains("from-gateway"), "\(there.account)")
      #expect(!there.output.contains("from-desk"))
      let here = try run()
      #expect(here.status == 0 && here.output.contains("from-desk"), "\(here.account)")
      leave(gateway)
    }

    @Test("a batch and a gateway end on SIGTERM although the server is gone")
    func endedWithoutServer() throws {
      let gateway = try gateway("a", try devices(1), options: ["--drain-limit", "3s"])
      let file = try batch(["read: battery-level", "sleep: 60s"], on: [address(1)])
      let running = try submit(file, "--output", "json")
      try running.waitForOutput("batch-started")
      try jobs { $0.output.contains("running  a") }
      server.kill()
      for program in [gateway, running] { program.send(SIGTERM) }
      let begun = ContinuousClock.now
      #expect(gateway.end().status == 143)
      #expect(ContinuousClock.now - begun < .seconds(50))
      let ended = running.end()
      #expect(ended.status == 143 && ended.errors.contains("follow them with"), "\(ended.account)")
      #expect(ContinuousClock.now - begun < .seconds(90))
    }

    @Test("a batch ends within its patience although the server has lost its store")
    func lostStore() throws {
      let gateway = try gateway("a", try devices(3))
      try wait(for: "a")
      let steps = ["read: battery-level", "sleep: 20s", "read: battery-level"]
      let file = try batch(steps, on: (1...3).map(address))
      let running = try submit(file, "--patience", "90s", "--output", "json")
      try waitForJob(at: "a", count: 3)
      server.kill()
      try server.emptyStore()
      try server.restart()
      let begun = ContinuousClock.now
      let ended = running.end()
      let endings = try endings(ended.lines)
      let isKnown = endings.values.allSatisfy { ["unknown", "interrupted"].contains($0.last) }
      #expect(endings.count == 3 && isKnown, "\(ended.account)")
      #expect(ended.errors.contains("has lost its contents"), "\(ended.errors)")
      #expect(ContinuousClock.now - begun < .seconds(120))
      // The devices are of use again, without a restart of the gateway.
      let next = try submit(try batch(["read: battery-level"], on: (1...3).map(address))).end()
      #expect(next.status == 0 && next.output.contains("3 devices: 3 ok"), "\(next.account)")
      leave(gateway)
    }

    @Test("a device that no gateway observes ends as a transient failure that names the listeners")
    func unobserved() throws {
      let gateway = try gateway("a", try devices(1))
      try wait(for: "a")
      let file = try batch(["read: battery-level"], on: [address(9)])
      // Several reports of the gateway, which come every 5 s.
      let ended = try submit(file, "--patience", "20s").end()
      #expect(ended.status == 75, "\(ended.errors)")
      #expect(ended.output.contains("not observed by a"), "\(ended.output)")
      leave(gateway)
    }

    @Test("a batch that a fleet cannot run is rejected before any job is submitted")
    func refused() throws {
      _ = try folder.file("part.yaml", "steps: [{ read: battery-level }]\n")
      for (text, reason) in [
        (
          "steps: [{ include: part.yaml }]\ndevices: [\"C0:FF:EE:00:01:01\"]\n",
          "includes other files"
        ),
        ("steps: [{ read: battery-level }]\ndevices: [\"Bat*\"]\n", "a name without wildcards"),
        ("steps: [{ read: battery-level }]\ndevices: { scan: 1s }\n", "lists its devices"),
      ] {
        let file = try folder.file("refused.yaml", text)
        let ended = try submit(file).end()
        #expect(ended.status == 65 && ended.errors.contains(reason), "\(ended.errors)")
      }
      let none = try run("fleet", "status", "--fleet", "nats://127.0.0.1:1/test").end()
      #expect(none.status == 69 && none.errors.contains("Connection refused"), "\(none.errors)")
      let wrong = try run("fleet", "status", "--fleet", "hall").end()
      #expect(wrong.status == 2 && wrong.errors.contains("not the address of a fleet"))
    }
  }

  @Suite("docs/fleet.md", .blocking, .needsNATSServer)
  struct FleetPageTests {
    @Test("the five-minute tutorial does what the page says")
    func fiveMinutes() throws {
      let folder = try TemporaryFolder()
      let page = try Example(in: "docs/fleet.md")
      let blocks = page.blocks("sh")
      try #require(blocks.count == 5)
      // On a port of its own, below a folder of its own.
      let free = try NATSServer()
      let port = free.port
      free.kill()
      let script = "set -e\n" + blocks.joined(separator: "\n")
      let own = script.replacingOccurrences(of: "4222", with: "\(port)")
      _ = try folder.file("five-minutes.sh", own)
      let path = URL(fileURLWithPath: binaryPath).deletingLastPathComponent().path
      let run = try RunningProgram(
        [
          "/bin/sh", "-c",
          "ln -s \(projectFolder)/Simulators Simulators && exec sh five-minutes.sh",
        ],
        in: folder.path,
        environment: [
          "PATH": "\(path):/usr/sbin:/usr/bin:/bin", "XDG_STATE_HOME": folder.path,
          "HOME": folder.path,
        ],
        limit: .seconds(600)
      ).end()
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.components(separatedBy: "3 devices: 3 ok").count == 3, "\(run.output)")
      #expect(run.lines.contains("demo-1  0 running"), "\(run.output)")
      #expect(run.lines.suffix(6).allSatisfy { $0.contains("  ok  demo-") }, "\(run.output)")
    }

    @Test("the server configuration is valid, and each role can do its part and nothing else")
    func configuration() throws {
      let path = projectFolder + "/Packaging/fleet/nats-server.conf"
      var text = try String(contentsOfFile: path, encoding: .utf8)
      // Without certificates, and where the test may write.
      let start = try #require(text.range(of: "tls {"))
      let end = try #require(text.range(of: "}", range: start.upperBound..<text.endIndex))
      text.removeSubrange(start.lowerBound..<end.upperBound)
      text = text.replacingOccurrences(of: "listen: \"0.0.0.0:4222\"", with: "")
        .replacingOccurrences(of: "/var/lib/nats", with: "store")
      for role in ["ADMIN", "HALL_1", "HALL_2", "SUBMITTER", "OPERATOR", "VIEWER"] {
        text = text.replacingOccurrences(of: "$\(role)_PASSWORD", with: "secret")
      }
      let server = try NATSServer(text)
      let folder = try TemporaryFolder()
      func url(_ user: String) -> String {
        server.address(of: "hall", user: "\(user):secret")
      }
      func fleet(_ user: String, _ arguments: String...) throws -> RunningProgram.Ended {
        try RunningProgram(
          blerun: ["fleet"] + arguments + ["--fleet", url(user)], in: folder.path
        ).end()
      }
      #expect(try fleet("viewer", "status").status == 69)
      #expect(try fleet("admin", "status").status == 0)
      let device = projectFolder + "/Simulators/devices/battery.yaml"
      let gateway = try RunningProgram(
        blerun: [
          "gateway", "--fleet", url("hall-1"), "--name", "hall-1", "--state", "a.json",
          "--simulate",
          device,
        ],
        in: folder.path
      )
      _ = try folder.file("batch.yaml", "steps: [{ read: battery-level }]\ndevices: [Battery-1]\n")
      let batch = try RunningProgram(
        blerun: ["batch", "batch.yaml", "--fleet", url("submitter")], in: folder.path,
        environment: ["XDG_STATE_HOME": folder.path]
      ).end()
      #expect(batch.status == 0 && batch.output.contains("1 device: 1 ok"), "\(batch.errors)")
      #expect(!batch.errors.contains("secret"), "\(batch.errors)")
      let gateways = try fleet("viewer", "gateways")
      #expect(gateways.output.hasPrefix("hall-1  "), "\(gateways.errors)")
      // Each role, trying what it has no permission for.
      for (user, arguments, subject) in [
        ("viewer", ["drain", "hall-1"], "publish to $KV.blerun_gateways_hall.gateway.hall-1"),
        ("viewer", ["jobs", "--all"], "publish to $JS.API.CONSUMER.CREATE.blerun_results_hall"),
        ("operator", ["jobs", "--all"], "publish to $JS.API.CONSUMER.CREATE.blerun_results_hall"),
        ("submitter", ["drain", "hall-1"], "publish to $KV.blerun_gateways_hall.gateway.hall-1"),
      ] {
        let refused = try RunningProgram(
          blerun: ["fleet"] + arguments + ["--fleet", url(user)], in: folder.path
        ).end()
        #expect(refused.status == 69, "\(user) \(arguments): \(refused.account)")
        #expect(refused.errors.contains(subject), "\(user) \(arguments): \(refused.errors)")
        // The command ends with the refusal, not with the limit of the request.
        #expect(!refused.errors.contains("does not answer"), "\(refused.errors)")
      }
      // Viewers and operators cannot list or delete the consumers of others, or create durable ones.
      for user in ["viewer", "operator"] {
        for subject in [
          "CONSUMER.LIST.KV_blerun_devices_hall", "CONSUMER.NAMES.KV_blerun_gateways_hall",
          "CONSUMER.DURABLE.CREATE.KV_blerun_devices_hall.stays",
          "CONSUMER.DELETE.KV_blerun_jobs_hall.reader", "CONSUMER.LIST.blerun_results_hall",
          "STREAM.PURGE.KV_blerun_devices_hall", "STREAM.DELETE.KV_blerun_jobs_hall",
        ] {
          let refusal = try server.publishing("$JS.API.\(subject)", as: user, password: "secret")
          #expect(refusal.contains("Permissions Violation for Publish"), "\(user) \(subject)")
        }
      }
      // One gateway's user is of no use for another name.
      let other = try RunningProgram(
        blerun: [
          "gateway", "--fleet", url("hall-2"), "--name", "hall-1", "--state", "b.json",
          "--simulate",
          device,
        ],
        in: folder.path
      ).end()
      #expect(
        other.status == 69 && other.errors.contains("does not let this user"), "\(other.account)")
      let wrong = try RunningProgram(
        blerun: ["batch", "batch.yaml", "--fleet", url("viewer")], in: folder.path,
        environment: ["XDG_STATE_HOME": folder.path]
      ).end()
      #expect(
        wrong.status == 69 && wrong.errors.contains("does not let this user"), "\(wrong.account)")
      let drained = try fleet("operator", "drain", "hall-1")
      try #require(drained.status == 0, "\(drained.account)")
      #expect(gateway.end().status == 0)
    }
  }
#endif

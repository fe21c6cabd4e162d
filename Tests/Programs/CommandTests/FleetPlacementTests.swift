// Where the jobs of a fleet run: at the gateway with the bond. Gateways are processes, one of which is stopped.

#if Fleet
  import Fixtures
  import Foundation
  import Testing

  @Suite("Placement of jobs in a fleet", .blocking, .needsNATSServer)
  final class FleetPlacementTests: FleetOfProcesses {
    /// A device whose battery level requires a bond.
    private func bonded(rssi: Int) throws -> String {
      try folder.file(
        "bonded\(rssi).yaml",
        """
        name: Bonded-1
        address: \(address(1))
        advertisement: { rssi: \(rssi) }
        security: { pairing: just-works }
        services:
          - service: battery
            characteristics:
              - characteristic: battery-level
                properties: [read]
                security: encrypted
                value: { u8: 64 }
        """
      )
    }

    @Test("a job for a bonded device runs only on the gateway with the bond")
    func bond() throws {
      let near = try gateway("near", [try bonded(rssi: -40)])
      let far = try gateway("far", [try bonded(rssi: -85)])
      let device = [address(1)]
      let pairing = try batch(["pair: { confirm: true }", "read: battery-level"], on: device)
      let paired = try submit(pairing, "--pin", "far").end()
      #expect(paired.status == 0, "\(paired.output)\(paired.errors)")
      try wait { try run("fleet", "gateways").end().output.contains("far  0 running  1 bond") }
      let reading = try batch(["read: battery-level"], on: device)
      for _ in 0..<2 {
        let read = try submit(reading).end()
        #expect(read.status == 0, "\(read.output)\(read.errors)")
      }
      let jobs = try endedJobs()
      #expect(jobs.count == 3 && jobs.allSatisfy { $0.hasSuffix("ok  far") }, "\(jobs)")
      // Without the gateway, the job waits for it.
      far.pause()
      let late = try submit(reading, "--patience", "20s").end()
      far.send(SIGCONT)
      #expect(late.output.contains("observed by near at -"), "\(late.output)")
      #expect(late.output.contains("the bond is at far"), "\(late.output)")
      leave(near, far)
    }

    @Test("the batch file pins a job, and an option overrides it with a message")
    func pinned() throws {
      let device = try devices(1)
      let (a, b) = (try gateway("a", device), try gateway("b", device))
      let file = try batch(["read: battery-level"], on: [address(1)], "pin: b\n")
      let first = try submit(file).end()
      #expect(first.status == 0 && !first.errors.contains("overrides"), "\(first.errors)")
      #expect(try endedJobs().map { $0.suffix(5) } == ["ok  b"])
      let second = try submit(file, "--pin", "a").end()
      let notice = "--pin a overrides the file's 'pin' (b)"
      #expect(second.status == 0 && second.errors.contains(notice), "\(second.errors)")
      let owners = try endedJobs().map { $0.suffix(5) }
      #expect(owners.sorted() == ["ok  a", "ok  b"])
      // Without a fleet, the key has no effect.
      let local = try run("batch", file, "--simulate", device[0]).end()
      #expect(local.status == 0 && local.errors.contains("are for a fleet"), "\(local.errors)")
      leave(a, b)
    }

    @Test("a name shared by two devices ends as ambiguous; a unique name resolves to its address")
    func names() throws {
      let (first, second) = (try devices(1)[0], try devices(2)[1])
      let twin = try folder.file(
        "twin.yaml",
        try String(contentsOfFile: second, encoding: .utf8)
          .replacingOccurrences(of: "Battery-2", with: "Battery-1")
      )
      let a = try gateway("a", [first])
      let file = try folder.file(
        "named.yaml", "steps: [{ read: battery-level }]\ndevices: [Battery-1]\n"
      )
      let one = try submit(file).end()
      #expect(one.status == 0, "\(one.output)\(one.errors)")
      let b = try gateway("b", [twin])
      // When it has run there, both have observed their devices.
      let other = try batch(["read: battery-level"], on: [address(2)])
      #expect(try submit(other).end().status == 0)
      let two = try submit(file, "--output", "json").end()
      #expect(two.status == 1)
      #expect(try endings(two.lines) == ["Battery-1": ["ambiguous"]])
      let which = "Battery-1 is the name of C0:FF:EE:00:01:01, C0:FF:EE:00:01:02"
      #expect(two.output.contains(which), "\(two.output)")
      // Nothing was queued for either.
      #expect(try endedJobs().count == 2)
      leave(a, b)
    }
  }
#endif

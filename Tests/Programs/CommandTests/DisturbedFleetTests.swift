// A fleet with processes that are killed, stopped and continued at moments chosen by a seed: its
// reports on jobs are compared with what was done to the devices.
//
// Each gateway simulates devices of its own. That two of them do not work on one device at once is
// seen in the logs of their simulated buses, whose times are those of one host.

#if Fleet
  import Fixtures
  import Foundation
  import Testing

  @Suite(
    "A fleet that is disturbed",
    .blocking,
    .serialized,
    .needsNATSServer,
    .onlyInTestAll
  )
  struct DisturbedFleetTests {
    /// BLERUN_FLEET_SEEDS="2 3 4" runs others.
    static let seeds: [UInt64] =
      ProcessInfo.processInfo.environment["BLERUN_FLEET_SEEDS"]
      .map { $0.split(separator: " ").compactMap { UInt64($0) } } ?? [1]

    /// How the job of a device ended for the batch.
    struct End {
      let code: String
      let why: String
    }

    @Test(
      "each of 400 jobs on eight gateways ends once with the true result, one at a time a device",
      arguments: seeds
    )
    func disturbed(seed: UInt64) throws {
      let plan = FleetDisturbance.plan(seed: seed, gateways: DisturbedFleet.gateways)
      let fleet = try DisturbedFleet()
      let began = ProcessHistory.now
      let status = try fleet.run(plan)
      let time = ProcessHistory.now - began
      var problems: [String] = []
      if status == nil { problems.append("the batch did not end within \(DisturbedFleet.limit) s") }
      let ends = try ends(fleet.text("batch.out"), &problems)
      let jobs = try fleet.jobs()
      try fleet.leave()
      let rules = DisturbedFleetRules(fleet, try spells(fleet))
      for address in DisturbedFleet.addresses {
        problems += rules.problems(of: address, ends[address] ?? [], jobs[address])
      }
      problems += rules.crowds
      let counts = Dictionary(grouping: ends.values.compactMap(\.last), by: \.code)
        .mapValues(\.count).sorted { $0.key < $1.key }
      let summary = counts.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
      print(
        "disturbed fleet, seed \(seed): \(plan.count) disturbances, \(summary), "
          + "\(rules.used) chains begun, \(Int(time)) s"
      )
      if !problems.isEmpty { fleet.keepFiles(as: "seed-\(seed)") }
      #expect(
        problems.isEmpty,
        """
        seed \(seed): \(problems.count) problems
        \(problems.prefix(20).joined(separator: "\n"))
        \(plan.map(\.description).joined(separator: "\n"))
        repeat it with BLERUN_TEST_ALL=1 BLERUN_FLEET_SEEDS=\(seed) swift test --traits Fleet --filter DisturbedFleet
        (BLERUN_FLEET_KEEP=FOLDER keeps the logs)
        """
      )
    }

    /// The ends of the jobs of a batch, by device.
    private func ends(_ text: String, _ problems: inout [String]) throws -> [String: [End]] {
      var ends: [String: [End]] = [:]
      for line in text.split(separator: "\n") {
        guard let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
          event["event"] as? String == "run-finished", let device = event["device"] as? String
        else { continue }
        let error = event["error"] as? [String: Any]
        let code = error?["code"] as? String ?? event["status"] as? String ?? ""
        let message = error?["message"] as? String ?? ""
        ends[device, default: []].append(End(code: code, why: message))
      }
      return ends
    }

    /// Returns the connections of all gateways, by device and in the order of time.
    private func spells(_ fleet: DisturbedFleet) throws -> [String: [GatewaySpell]] {
      var spells: [String: [GatewaySpell]] = [:]
      for process in fleet.histories.indices {
        // A gateway that was killed at its start has no log.
        guard FileManager.default.fileExists(atPath: fleet.busLog(process)) else { continue }
        for (device, own) in try GatewayEvidence(fleet.busLog(process), process: process).spells {
          spells[device, default: []] += own
        }
      }
      return spells.mapValues { $0.sorted { $0.begun < $1.begun } }
    }
  }

  /// The promises of a fleet about one device.
  struct DisturbedFleetRules {
    private let histories: [ProcessHistory]
    private let outages: [(from: Double, to: Double)]
    private let spells: [String: [GatewaySpell]]

    init(_ fleet: DisturbedFleet, _ spells: [String: [GatewaySpell]]) {
      (histories, outages, self.spells) = (fleet.histories, fleet.outages, spells)
    }

    /// How often a chain was begun.
    var used: Int { spells.values.reduce(0) { $0 + $1.count } }

    /// The processes that held more connections than they may.
    var crowds: [String] {
      histories.indices.compactMap { process in
        let own = spells.values.joined().filter { $0.process == process }
        let most = own.map { spell in
          own.count { $0.begun <= spell.begun && spell.begun < $0.downAt ?? .infinity }
        }
        guard let most = most.max(), most > DisturbedFleet.connections else { return nil }
        return "\(histories[process].name) held \(most) connections"
      }
    }

    func problems(
      of address: String, _ ends: [DisturbedFleetTests.End],
      _ job: (state: String, gateway: String?)?
    ) -> [String] {
      let own = spells[address.replacingOccurrences(of: ":", with: "_")] ?? []
      var problems: [String] = []
      if ends.count != 1 { problems.append("ended \(ends.count) times") }
      for write in ["0x01", "0x02"] where own.reduce(0, { $0 + $1.count(.write(write)) }) > 1 {
        problems.append("\(write) was written twice")
      }
      for (spell, next) in zip(own, own.dropFirst()) { problems += overlap(spell, next) }
      for spell in own where spell.downAt == nil && histories[spell.process].killedAt == nil {
        problems.append("its connection was left up")
      }
      if let end = ends.first {
        problems += untruths(end.code, end.why, own)
        // The journal may resolve an unknown end.
        let state = ["ok", "interrupted", "unknown"].contains(end.code) ? end.code : "failed"
        if let job, job.state != state, end.code != "unknown" {
          problems.append("ended as \(end.code), and the fleet has \(job.state)")
        }
      }
      return problems.map { problem in
        "\(address): \(problem)\n" + own.map { "    " + text($0) }.joined(separator: "\n")
          + "\n    end \(ends), in the fleet \(job.map { "\($0)" } ?? "nothing")"
      }
    }

    private func text(_ spell: GatewaySpell) -> String {
      let done = spell.operations.map { operation in
        let end = operation.succeededAt.map { "\($0 - spell.begun)" } ?? "no success"
        return "\(operation.operation) \(operation.at - spell.begun): \(end)"
      }
      let history = histories[spell.process]
      let down = spell.downAt.map { "down \($0 - spell.begun)" } ?? "never down"
      let killed = history.killedAt.map { "killed \($0 - spell.begun)" } ?? "not killed"
      let stops = history.stops.map { "\($0.from - spell.begun) to \($0.to - spell.begun)" }
      return "\(history.name) at \(spell.begun): \(done), \(down), \(killed), stops \(stops)"
    }

    // MARK: One at a time

    /// A device belongs to one gateway at a time. A process that is stopped may, when it continues,
    /// still carry out the one operation that it had permission for; then it disconnects.
    private func overlap(_ spell: GatewaySpell, _ next: GatewaySpell) -> [String] {
      let history = histories[spell.process]
      if let killed = history.killedAt, killed <= next.begun { return [] }
      if let down = spell.downAt, down <= next.begun { return [] }
      guard history.stops.contains(where: { $0.from <= next.begun && $0.from >= spell.begun - 30 })
      else { return ["two gateways used it at once"] }
      let late = spell.operations.count { $0.at > next.begun }
      return late <= 1 ? [] : ["\(late) operations of a gateway that had been replaced"]
    }

    // MARK: True ends

    private func untruths(_ code: String, _ why: String, _ own: [GatewaySpell]) -> [String] {
      let wanted = DisturbedFleet.operations
      let written = own.first { $0.operations.contains { $0.operation == .write("0x01") } }
      switch code {
      case "ok":
        let isDone = own.contains { spell in
          spell.operations.map(\.operation) == wanted && spell.succeeded == wanted.count
        }
        return isDone ? [] : ["ok, and no gateway did all of the chain"]
      case "interrupted":
        guard let step = Self.step(in: why),
          let written = written ?? own.last(where: { $0.succeeded >= step })
        else { return ["interrupted, and no chain came that far: \(why)"] }
        // Reads leave no trace in a journal, so some may have happened after that.
        let further = written.operations.dropFirst(step).map(\.operation)
        let isRight = written.succeeded >= step && further.allSatisfy { $0 == .read }
        let claim = "interrupted before operation \(step + 1), after \(written.succeeded)"
        return (isRight ? [] : [claim]) + undisturbed(written)
      case "unknown":
        // A chain is armed before it writes, so it may have been lost before its first write.
        let armed = written ?? own.last { $0.succeeded >= 2 }
        guard let armed else { return ["unknown, and no chain came to its first write"] }
        return undisturbed(armed)
      default:
        // A chain that was stopped may find that its own deadlines have passed.
        let stopped = own.contains { spell in
          let history = histories[spell.process]
          return history.isDisturbed(from: spell.begun, to: spell.downAt ?? .infinity)
        }
        return stopped ? [] : ["ended as \(code): \(why)"]
      }
    }

    /// Neither the gateway nor the server was lost while the chain ran.
    private func undisturbed(_ spell: GatewaySpell) -> [String] {
      let end = spell.downAt ?? .infinity
      let isLost =
        histories[spell.process].isDisturbed(from: spell.begun, to: end)
        || outages.contains { $0.from <= end && $0.to >= spell.begun }
      return isLost ? [] : ["reported as lost, and nothing had happened to its gateway"]
    }

    /// The operation of "all before operation 4 was done", from 0.
    private static func step(in why: String) -> Int? {
      guard let mark = why.range(of: "before operation ") else { return nil }
      return Int(why[mark.upperBound...].prefix { $0.isNumber }).map { $0 - 1 }
    }
  }
#endif

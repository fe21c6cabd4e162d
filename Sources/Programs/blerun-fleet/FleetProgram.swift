// `blerun fleet …`: shows the state of a fleet, and changes it.
//
// The changes are in FleetChanges.swift, `blerun fleet follow` in FleetFollower.swift.

import Bluetooth
import Documents
import Fleet
import Jobs
import Program
import Signals

/// Carries out a command about a fleet.
struct FleetProgram {
  private let command: any AboutFleet

  init(_ command: any AboutFleet) { self.command = command }

  /// Runs the command to its end.
  ///
  /// - Throws: ``CommandExit``, always.
  func run() throws {
    let world = World.withoutRadio("ending")
    defer { world.end() }
    let lost = Guarded((reason: nil as String?, task: nil as Task<ExitStatus, any Error>?))
    let end: @Sendable (String) -> Void = { reason in
      let task = lost.withLock { lost in
        lost.reason = lost.reason ?? reason
        return lost.task
      }
      task?.cancel()
    }
    let connection = try FleetConnection.open(
      command.common.server, client: "blerun fleet", on: world.loop, lost: end
    )
    defer { connection.close() }
    let isFollowing = command is FleetCommand.Follow
    let replaced = connection.store.observeReplacement {
      if isFollowing { end("the jobs were lost with the store of the fleet") }
    }
    defer { replaced.cancel() }
    try world.interruption.check()
    let output = StandardOutput()
    let work = work(on: FleetViews(connection: connection, loop: world.loop, output: output))
    let (loop, interruption) = (world.loop, world.interruption)
    let result = Result {
      try loop.run {
        let task = loop.task { try await work() }
        lost.withLock { $0.task = task }
        if lost.withLock({ $0.reason }) != nil { task.cancel() }
        interruption.cancels("ending", leaving: "the jobs of the fleet run on") { _ in task.cancel()
        }
        return try await task.value
      }
    }
    try output.end()
    try world.interruption.check()
    // The reason why the work was cancelled, not that it was.
    if let reason = lost.withLock({ $0.reason }) { throw CommandExit(.unavailable, reason) }
    throw CommandExit(try result.get())
  }

  /// Returns the work of the command.
  private func work(on views: FleetViews) -> @Sendable () async throws -> ExitStatus {
    let isJSON = command.common.isJSON
    let changes = FleetChanges(connection: views.connection, loop: views.loop)
    func done(_ body: @escaping @Sendable () async throws -> Void)
      -> @Sendable () async throws -> ExitStatus
    {
      {
        try await body()
        return .ok
      }
    }
    switch command {
    case let command as FleetCommand.Devices:
      let time = command.listen
      return done { try await views.devices(listening: time, asJSON: isJSON) }
    case let command as FleetCommand.Jobs:
      let all = command.all
      return done { try await views.jobs(all: all, asJSON: isJSON) }
    case let command as FleetCommand.Follow:
      let what = command.what
      let follower = FleetFollower(
        connection: views.connection, loop: views.loop, output: views.output
      )
      return { try await follower.follow(what, asJSON: isJSON) }
    case let command as FleetCommand.Cancel:
      let what = command.what
      return done { try await changes.cancel(what) }
    case let command as FleetCommand.Drain:
      let gateway = command.gateway
      return done { try await changes.drain(gateway) }
    case let command as FleetCommand.Forget:
      let gateway = command.gateway
      return done { try await changes.forget(gateway) }
    case is FleetCommand.Gateways:
      return done { try await views.gateways(asJSON: isJSON) }
    // open: types
    default:
      return done { try await views.status(asJSON: isJSON) }
    }
  }
}

/// A job in the queue of its device.
struct WaitingJob: Sendable {
  let device: BluetoothAddress
  let queued: QueuedJob
  /// The gateway that has claimed it; nil while the job waits.
  let owner: String?

  /// Returns the jobs in the entries of devices, by device and in the order of the queues.
  static func all(_ entries: [StoreEntry]) -> [WaitingJob] {
    entries.flatMap { entry -> [WaitingJob] in
      guard case .device(let device) = entry.value, let address = entry.key.address else {
        return []
      }
      return device.queue.map { queued in
        let claim = device.claim.flatMap { $0.job == queued.job ? $0 : nil }
        // A submitter claims a job to end it, and is no gateway.
        let owner = claim.flatMap { queued.job.text.hasPrefix("\($0.owner)-") ? nil : $0.owner }
        return WaitingJob(device: address, queued: queued, owner: owner)
      }
    }
  }
}

/// Prints the state of a fleet, as text or JSON.
struct FleetViews: Sendable {
  let connection: FleetConnection
  let loop: Loop
  let output: StandardOutput

  private func entries(_ kind: StoreKey.Kind) async throws -> [StoreEntry] {
    try await connection.store.entries(.all(kind), on: loop)
  }

  private func object(_ event: String, _ members: KeyValuePairs<String, any JSONWritable>) {
    output.line(EventLine(event, members).text)
  }

  func status(asJSON: Bool) async throws {
    let (gateways, devices) = (try await entries(.gateway), try await entries(.device))
    let jobs = WaitingJob.all(devices)
    let running = jobs.count { $0.owner != nil }
    let draining = gateways.count { entry in
      if case .gateway(let gateway) = entry.value { gateway.isDraining } else { false }
    }
    if asJSON {
      let members: KeyValuePairs<String, any JSONWritable> = [
        "fleet": connection.fleet, "gateways": gateways.count, "draining": draining,
        "devices": devices.count, "running": running, "waiting": jobs.count - running,
      ]
      return object("fleet", members)
    }
    output.line("gateways  \(gateways.count)\(draining > 0 ? ", \(draining) draining" : "")")
    output.line("devices   \(devices.count) with jobs")
    output.line("jobs      \(running) running, \(jobs.count - running) waiting")
  }

  func gateways(asJSON: Bool) async throws {
    let jobs = WaitingJob.all(try await entries(.device))
    let present = try await entries(.gateway)
    for entry in present {
      guard case .gateway(let gateway) = entry.value else { continue }
      let name = entry.key.name
      let running = jobs.count { $0.owner == name }
      if asJSON {
        object(
          "gateway",
          [
            "gateway": name, "running": running, "draining": gateway.isDraining,
            "capabilities": gateway.capabilities, "bonds": gateway.bonds, "state": "present",
            "version": gateway.version, "host": gateway.host, "begun": gateway.begun,
            "seen": gateway.seen, "observed": gateway.observed, "connections": gateway.connections,
          ]
        )
      } else {
        let can =
          gateway.capabilities.isEmpty ? "" : "  " + gateway.capabilities.joined(separator: ", ")
        let state = gateway.isDraining ? "  draining" : ""
        let bonds = gateway.bonds.isEmpty ? "" : "  \(counted(gateway.bonds.count, "bond"))"
        output.line("\(name)  \(running) running\(state)\(bonds)\(can)")
      }
    }
    let names = Set(present.map(\.key.name))
    for entry in try await entries(.known) where !names.contains(entry.key.name) {
      guard case .gateway(let gateway) = entry.value else { continue }
      showGone(entry.key.name, gateway, asJSON: asJSON)
    }
  }

  /// Prints a gateway that is not there any more.
  private func showGone(_ name: String, _ gateway: GatewayEntry, asJSON: Bool) {
    guard asJSON else {
      return output.line("\(name)  gone, last seen \(gateway.seen ?? "at an unknown time")")
    }
    object(
      "gateway",
      [
        "gateway": name, "state": "gone", "version": gateway.version, "host": gateway.host,
        "begun": gateway.begun, "seen": gateway.seen,
      ]
    )
  }

  func devices(listening: Duration, asJSON: Bool) async throws {
    let seen = Guarded<[String: SightingReport]>([:])
    let sightings = connection.store.subscribe(.all(.sightings)) { _, value in
      guard case .sightings(let report) = value else { return }
      seen.withLock { $0[report.gateway] = report }
    }
    defer { sightings.cancel() }
    try await loop.sleep(for: listening)
    let jobs = Dictionary(grouping: WaitingJob.all(try await entries(.device)), by: \.device)
    var observed: [BluetoothAddress: [(gateway: String, sighting: Sighting)]] = [:]
    var held: [BluetoothAddress: [String]] = [:]
    for report in seen.withLock({ $0.values.sorted { $0.gateway < $1.gateway } }) {
      for sighting in report.sightings {
        observed[sighting.address, default: []].append((report.gateway, sighting))
      }
      for address in report.held { held[address, default: []].append(report.gateway) }
    }
    for address in Set(observed.keys).union(jobs.keys).union(held.keys).sorted() {
      let own = (observed[address] ?? []).sorted { $0.sighting.rssi > $1.sighting.rssi }
      let name = own.compactMap(\.sighting.name).first
      let count = jobs[address]?.count ?? 0
      if asJSON {
        let observed = JSONValue.object(own.map { .init($0.gateway, $0.sighting.rssi.json) })
        object(
          "device",
          [
            "device": address, "name": name, "jobs": count, "observed": observed,
            "held": held[address] ?? [],
          ]
        )
      } else {
        let by = own.map { "\($0.gateway) \($0.sighting.rssi) dBm" }.joined(separator: ", ")
        let place = by.isEmpty ? "not observed" : by
        let waiting = count == 0 ? "" : "  \(counted(count, "job"))"
        let others = held[address].map { ", held at \($0.joined(separator: ", "))" } ?? ""
        output.line("\(address)  \(name.map { "\($0)  " } ?? "")\(place)\(others)\(waiting)")
      }
    }
  }

  func jobs(all: Bool, asJSON: Bool) async throws {
    var waiting = WaitingJob.all(try await entries(.device))
    let found = all ? try await entries(.result) : []
    let records = Dictionary(
      found.map { ($0.key.name, $0) }, uniquingKeysWith: { $0.revision > $1.revision ? $0 : $1 }
    )
    // The end of a job is stored before its device is released.
    waiting.removeAll { job in
      guard case .record(let record)? = records[job.queued.job.text]?.value else { return false }
      return record.end != nil
    }
    for job in waiting {
      let state = job.owner == nil ? "waiting" : "running"
      show(job.queued.job, job.device, state, job.owner, job.queued.isCancelled, asJSON: asJSON)
    }
    guard all else { return }
    let open = Set(waiting.map(\.queued.job))
    for entry in try await entries(.job) {
      guard case .job(let job) = entry.value, !open.contains(job.id) else { continue }
      var state = "unknown to the store"
      var owner: String?
      if case .record(let record)? = records[job.id.text]?.value {
        state = record.end?.state.rawValue ?? "started"
        owner = record.end.flatMap { $0.owner == job.submitter ? nil : $0.owner }
      }
      show(job.id, job.device, state, owner, false, asJSON: asJSON)
    }
  }

  private func show(
    _ job: JobID, _ device: BluetoothAddress, _ state: String, _ owner: String?,
    _ isCancelled: Bool, asJSON: Bool
  ) {
    if asJSON {
      let members: KeyValuePairs<String, any JSONWritable> = [
        "job": job.text, "device": device, "state": state, "gateway": owner,
        "cancelled": isCancelled,
      ]
      return object("job", members)
    }
    let by = owner.map { "  \($0)" } ?? ""
    output.line("\(job)  \(device)  \(state)\(by)\(isCancelled ? "  to be cancelled" : "")")
  }
}

// `blerun gateway`: creates the parts of a gateway from the options, and runs it until it ends.

import Fleet
import Jobs
import Program
import Signals

/// Runs a gateway.
struct GatewayProgram {
  private let command: GatewayCommand

  init(_ command: GatewayCommand) { self.command = command }

  /// Runs until a signal, a drain, or the time limit.
  ///
  /// - Throws: ``CommandExit``.
  func run() throws {
    let name = command.gatewayName
    for (option, word) in [("--name", name)] + command.capabilities.map({ ("--capability", $0) })
    where !StoreName.isValid(word) {
      throw CommandExit(.usage, "\(option) '\(word)': expected \(MemberName.expected)")
    }
    var policy = ChainPolicy()
    policy.chains = Set(command.allowedChains)
    policy.characteristics = command.allowedCharacteristics
    let world = try command.open()
    // Simulated connections end with the process and need no guard.
    let linkGuard = world.isSimulated ? nil : LinkGuard(silence: FleetSettings().guardSilence)
    defer {
      world.end()
      linkGuard?.stop()
    }
    try world.releaseOrphans()
    let made = Guarded((service: nil as GatewayService?, reason: nil as String?))
    let connection = try FleetConnection.open(
      command.server, client: "blerun gateway \(name)", on: world.loop
    ) { reason in
      let service = made.withLock { made in
        made.reason = made.reason ?? reason
        return made.service
      }
      service?.fail(reason)
    }
    defer { connection.close() }
    let path = try command.statePath(fleet: connection.fleet)
    let file = try JournalFile(path, on: world.loop)
    let metrics = try MetricsFile(command.metering, of: ("gateway", name), on: world.loop)
    if let metrics { world.observeLinks { news in metrics.count { $0.record(news) } } }
    var settings = FleetSettings()
    settings.connections = command.connections
    let service = GatewayService(
      name,
      GatewayParts(
        world: world, store: connection.store, events: try GatewayEvents("\(path).events"),
        settings: settings,
        chains: ChainTexts(), linkGuard: linkGuard, policy: policy,
        environment: Set(command.environment), recording: command.journal, metrics: metrics
      ),
      file, capabilities: command.capabilities, drainLimit: command.drainLimit
    )
    let reason = made.withLock { made in
      made.service = service
      return made.reason
    }
    if let reason { service.fail(reason) }
    // Before the first claim; the wait is short on the host where the gateway ran before.
    if let obstacle = try world.loop.run({ try await service.obstacle() }) {
      throw CommandExit(.passing, obstacle)
    }
    try world.interruption.check()
    // On the loop, as everything after it. A signal that arrives meanwhile drains the service when it has begun:
    // before that, nothing would report that it is drained.
    world.loop.performAndWait { service.begin() }
    world.interruption.cancels("leaving the fleet") { _ in service.drain() }
    metrics?.write()
    StandardError.notice("gateway \(name) has joined fleet \(connection.fleet)")
    if let limit = command.limit { world.loop.after(limit) { service.drain() } }
    try world.loop.drive { service.isOver }
    try world.loop.run { await service.end() }
    made.withLock { $0.service = nil }
    let status = metrics?.end(.ok) ?? .ok
    if let failure = service.failure { throw CommandExit(.unavailable, failure) }
    StandardError.notice("gateway \(name) has left fleet \(connection.fleet)")
    try world.interruption.check()
    // The reason is printed.
    if status != .ok { throw CommandExit(status) }
  }
}

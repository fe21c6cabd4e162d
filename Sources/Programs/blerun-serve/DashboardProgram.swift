// `blerun serve`: creates the parts of the dashboard from the options, and serves it until it ends.
//
// Watches, chains and batches are in DashboardWork.

import Bluetooth
import Dashboard
import Jobs
import Program
import Signals
import WebServer

/// Serves a dashboard.
struct DashboardProgram {
  /// How long browsers have to receive pending answers at the end.
  private static let goodbye = Duration.seconds(1)

  private let command: ServeCommand

  init(_ command: ServeCommand) { self.command = command }

  /// Serves until a signal or the time limit.
  ///
  /// - Throws: ``CommandExit``.
  func run() throws {
    let rules = try rules()
    let files = try command.runnable()
    let names = try command.names()
    let journal = try command.journalPath()
    let (world, plan) = try command.open()
    defer { world.end() }
    try world.releaseOrphans()
    let loop = world.loop
    let facts = DashboardFacts(
      version: Blerun.version, isSimulated: world.isSimulated, hasJournal: journal != nil,
      chains: files.chains.keys.sorted(), batches: files.batches.keys.sorted()
    )
    let hub = DashboardHub(DashboardModel(facts, names: names), on: loop)
    let reader = DashboardJournal(journal, on: loop) { failure in
      hub.receive(.reading(failure))
      if let failure {
        StandardError.failure(failure)
      } else {
        StandardError.notice("the journal can be read again")
      }
    }
    let work = DashboardWork(
      in: world, hub: hub, journal: reader, files: files, recording: command.journal, names: names
    )
    let routes = DashboardRoutes(
      hub, work, names: names, limit: command.stepLimit, metrics: work.metricsText
    )
    let server = WebServer(
      on: loop, rules: rules, loginPage: DashboardRoutes.loginPage, handler: routes.answer
    )
    let isOver = Guarded(false)
    world.interruption.cancels("ending the watches and disconnecting") { _ in
      isOver.withLock { $0 = true }
    }
    try world.interruption.check()
    let address = try started(server, on: loop)
    announce(address, rules)
    if let limit = command.limit { loop.after(limit) { isOver.withLock { $0 = true } } }
    work.begin(watching: plan)
    try loop.drive { isOver.withLock { $0 } }
    try loop.run {
      await work.end()
      await server.stop(within: Self.goodbye)
    }
    try world.interruption.check()
  }

  private func started(_ server: WebServer, on loop: Loop) throws(CommandExit) -> WebServer.Address
  {
    do {
      return try loop.run { try await server.start() }
    } catch {
      throw CommandExit(.unavailable, "\(error)")
    }
  }

  private func rules() throws(CommandExit) -> AccessRules {
    do {
      return AccessRules(
        place: try ListeningPlace(command.listen), names: try command.host.map { try HostName($0) },
        token: try command.tokenFile.map { path in try TokenFile(path).token() } ?? .generated(),
        openPaths: DashboardRoutes.openPaths
      )
    } catch let ending as CommandExit {
      throw ending
    } catch {
      throw CommandExit(.usage, "\(error)")
    }
  }

  /// Prints the address of the dashboard, and how to log in.
  private func announce(_ address: WebServer.Address, _ rules: AccessRules) {
    StandardError.notice("the dashboard is at \(address.text)")
    if let file = command.tokenFile {
      StandardError.notice("the token, for changes, is in \(file)")
    } else {
      StandardError.notice("the token, for changes: \(rules.token.revealed)")
    }
    switch rules.place {
    case .loopback, .unix: break
    case .address(let address, _):
      if ["0.0.0.0", "::"].contains(address) {
        StandardError.notice("\(address) stands for every address of this host: open one of them")
      }
      StandardError.notice(
        "it is not encrypted: use it over ssh -L, or behind a reverse proxy with TLS and --host NAME"
      )
    }
  }
}

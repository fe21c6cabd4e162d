// The connection to the store of a fleet, opened from the options.

import Fleet
import FleetNATS
import Jobs
import Program
import Signals

/// A connection to a fleet.
struct FleetConnection: Sendable {
  let store: any JobStore
  /// The name of the fleet.
  let fleet: String
  /// The address without user and password, for messages: `nats://host:4222/hall`.
  let url: String
  let close: @Sendable () -> Void

  /// Connects, and prints the server, user and fleet.
  ///
  /// - Parameters:
  ///   - client: The name of the client, which the server displays.
  ///   - lost: Called on the loop when the connection has ended for good, or the server refuses what every
  ///     such program needs.
  /// - Throws: ``CommandExit``.
  static func open(
    _ options: FleetOptions, client: String, on loop: Loop,
    lost: @escaping @Sendable (_ reason: String) -> Void
  ) throws(CommandExit) -> FleetConnection {
    let address: FleetAddress
    let text = try options.address()
    do {
      address = try FleetAddress(parsing: text, password: options.password)
    } catch {
      throw CommandExit(.usage, "\(error)")
    }
    #if Fleet
      var settings = NATSSettings(address, client: client)
      settings.credentials = options.fleetCredentials
      settings.authorities = options.fleetCA
      if let chain = options.fleetCert, let key = options.fleetKey {
        settings.certificate = (chain, key)
      }
      let store: NATSJobStore
      do {
        store = try loop.run { [settings] in
          try await FleetStore.connect(settings, on: loop) { news in
            switch news {
            case .problem(let text): StandardError.failure(text)
            case .closed(let reason): lost("the connection to the fleet ended: \(reason)")
            case .refused(let what): lost("\(address): \(what) (docs/fleet.md, Roles)")
            case .replaced:
              StandardError.failure(
                "the store of the fleet has lost its contents, or has older ones than before: jobs that may "
                  + "have begun end as unknown, unless they may run twice"
              )
            }
          }
        }
      } catch {
        throw CommandExit(.unavailable, "\(error)")
      }
      StandardError.notice("\(store.server)")
      return FleetConnection(
        store: store, fleet: address.fleet, url: "\(address.server)/\(address.fleet)",
        close: { store.close() }
      )
    #else
      throw CommandExit(.unavailable, "\(address): \(FleetServerError.notBuilt)")
    #endif
  }
}

extension JobStore {
  /// Reads the entries of a pattern.
  ///
  /// - Throws: ``CommandExit`` when the store does not answer.
  func entries(
    _ pattern: KeyPattern, within limit: Duration = .seconds(10), on loop: Loop
  ) async throws -> [StoreEntry] {
    switch try await ask(.list(pattern), within: limit, on: loop) {
    case .entries(let entries): return entries
    case .unreadable(let problem): throw CommandExit(.data, "\(problem)")
    case .unavailable, .unknown, .refused, .applied, .published:
      throw CommandExit(.unavailable, "the store of the fleet does not answer within \(limit)")
    }
  }
}

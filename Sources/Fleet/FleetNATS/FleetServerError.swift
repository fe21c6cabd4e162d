// Why a server cannot keep the store of a fleet.

/// Why there is no connection to the store of a fleet.
public enum FleetServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server cannot be reached, or does not let this user in.
  case unreachable(server: String, reason: String)
  /// The server is too old for what the fleet needs.
  case tooOld(server: String, version: String, needed: String, what: String)
  /// The server has no JetStream, or the user may not use it.
  case withoutJetStream(server: String, reason: String)
  /// A stream of the fleet is missing and may not be made, or has other settings.
  case wrongStream(name: String, reason: String)
  /// This program has no client for NATS.
  case notBuilt

  public var description: String {
    switch self {
    case .unreachable(let server, let reason):
      "\(server) cannot be used: \(reason)"
    case .tooOld(let server, let version, let needed, let what):
      "\(server) is nats-server \(version), and \(what) needs \(needed) or later"
    case .withoutJetStream(let server, let reason):
      "\(server) has no JetStream for this user (\(reason)). Try: a block 'jetstream' with "
        + "'store_dir' in the configuration of the server"
    case .wrongStream(let name, let reason):
      "the stream \(name) of the fleet: \(reason)"
    case .notBuilt:
      "this program was built without the trait Fleet. Try: swift build --traits Fleet"
    }
  }
}

// How a member connects to the server of its fleet.

/// How a member connects.
public struct NATSSettings: Sendable {
  /// The server and the fleet.
  public var address: FleetAddress
  /// The name of the client, which the server shows.
  public var client: String
  /// A file with credentials of NATS (`.creds`); nil for none.
  public var credentials: String?
  /// A file with the certificates of authorities that are trusted; nil for those of the host.
  public var authorities: String?
  /// The files with the client's own certificate and its key; nil for none.
  public var certificate: (chain: String, key: String)?

  /// A connection without credentials and certificates.
  public init(_ address: FleetAddress, client: String) {
    self.address = address
    self.client = client
  }
}

/// What is known of the server of a fleet.
public struct FleetServer: Equatable, Sendable, CustomStringConvertible {
  /// Where it is, the user, and the fleet.
  public let address: FleetAddress
  /// The version of the server.
  public let version: String

  public var description: String { "\(address) (nats-server \(version))" }
}

/// What a store reports beside the answers to requests.
public enum StoreNews: Equatable, Sendable {
  /// Something is wrong that does not end the connection: an invalid value, a refused stream.
  case problem(String)
  /// The connection has ended for good; nothing works any more.
  case closed(String)
}

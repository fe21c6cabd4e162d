// The settings of a member's connection to the server of its fleet, and the reports of the store.

/// The settings of a connection.
public struct NATSSettings: Sendable {
  /// The server and the fleet.
  public var address: FleetAddress
  /// The name of the client, which the server displays.
  public var client: String
  /// A file with NATS credentials (`.creds`); nil for none.
  public var credentials: String?
  /// A file with the trusted CA certificates; nil for those of the host.
  public var authorities: String?
  /// The files with the client's own certificate and its key; nil for none.
  public var certificate: (chain: String, key: String)?

  /// Creates the settings of a connection without credentials and certificates.
  public init(_ address: FleetAddress, client: String) {
    self.address = address
    self.client = client
  }
}

/// The server of a fleet.
public struct FleetServer: Equatable, Sendable, CustomStringConvertible {
  /// The address of the server, with the user and the fleet.
  public let address: FleetAddress
  /// The version of the server.
  public let version: String

  public var description: String { "\(address) (nats-server \(version))" }
}

/// A report of a store that is not the answer to a request.
public enum StoreNews: Equatable, Sendable {
  /// A problem that does not end the connection: an invalid value, a refused subscription.
  case problem(String)
  /// The connection has ended and will not be made again; every later request fails.
  case closed(String)
  /// The store is another one than before: its contents are lost or set back.
  case replaced
  /// The server refuses this user something that every request of this kind needs. It does so again, until
  /// its configuration is changed.
  case refused(String)
}

// The rules of access to a server: its address, its names and its token.
//
// Plain data. AccessDecision applies them to a request.

import Glibc

/// The address that a server listens at.
package enum ListeningPlace: Equatable, Sendable {
  /// 127.0.0.1; port 0 stands for any free port. Reading needs no token.
  case loopback(port: UInt16)
  /// A Unix socket that only this user can open (mode 0600). Reading needs no token.
  case unix(path: String)
  /// An IPv4 or IPv6 address of this host, or `0.0.0.0` or `::` for all. Every request needs the token.
  case address(String, port: UInt16)

  /// Parses `8080`, `127.0.0.1:8080`, `192.168.1.5:8080`, `[fe80::1]:8080` or `unix:PATH`.
  ///
  /// - Throws: ``WebServerFailure/badPlace(_:)``.
  package init(_ text: String) throws(WebServerFailure) {
    let path = "unix:"
    if text.hasPrefix(path), text.count > path.count {
      self = .unix(path: String(text.dropFirst(path.count)))
      return
    }
    if let port = text == "0" ? 0 : HostName.port(text.utf8) {
      self = .loopback(port: port)
      return
    }
    // Port 0 is parsed here because HostName does not accept it.
    let isAnyPort = text.hasSuffix(":0")
    guard let host = HostName(header: isAnyPort ? text.dropLast(2) : text[...]),
      let port = isAnyPort && host.port == nil ? 0 : host.port,
      let address = HostName.address(host.name, AF_INET) ?? HostName.address(host.name, AF_INET6)
    else { throw .badPlace(text) }
    self = address == "127.0.0.1" ? .loopback(port: port) : .address(address, port: port)
  }
}

/// The rules of a server.
package struct AccessRules: Sendable {
  /// The address that it listens at.
  package var place: ListeningPlace
  /// The accepted names in `Host`, each with or without a port, in addition to the server's own: those of a
  /// reverse proxy, or DNS names of its address. A request with such a name always needs the token.
  package var names: [HostName]
  /// The token, which every changing request needs.
  package var token: SecretText
  /// The paths that can be read without a token, such as the style sheet of the login page.
  package var openPaths: Set<String>

  /// Creates the rules of a server.
  package init(
    place: ListeningPlace, names: [HostName] = [], token: SecretText, openPaths: Set<String> = []
  ) {
    self.place = place
    self.names = names
    self.token = token
    self.openPaths = openPaths
  }
}

/// The reason why a server does not start.
package enum WebServerFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is not a place to listen at.
  case badPlace(String)
  /// The text is not a host name, with or without a port.
  case badName(String)
  /// The token is too short to be safe, too long, or has characters other than printable ASCII, which
  /// cannot be sent.
  case badToken
  /// The address is in use or not permitted; with the system's reason.
  case cannotListen(place: String, reason: String)
  /// libmicrohttpd did not start.
  case noServer

  /// The message for the user.
  package var description: String {
    switch self {
    case .badPlace(let text):
      "invalid address '\(text)': expected PORT, ADDRESS:PORT, [IPv6]:PORT or unix:PATH"
    case .badName(let text): "invalid host name '\(text)': expected NAME or NAME:PORT"
    case .badToken: "invalid token: expected 16 to 256 printable ASCII characters without spaces"
    case .cannotListen(let place, let reason): "cannot listen at \(place): \(reason)"
    case .noServer: "libmicrohttpd cannot start a server"
    }
  }
}

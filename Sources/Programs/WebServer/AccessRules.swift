// Who may reach a server, and with what.
//
// Plain data. The decision about one request is in AccessDecision.

import Glibc

/// Where a server listens.
package enum ListeningPlace: Equatable, Sendable {
  /// 127.0.0.1; port 0 is any free one. Reading needs no token.
  case loopback(port: UInt16)
  /// A Unix socket that only this user may open (mode 0600). Reading needs no token.
  case unix(path: String)
  /// An IPv4 or IPv6 address of this host, or `0.0.0.0` or `::` for all. Everything needs the token.
  case address(String, port: UInt16)

  /// Reads `8080`, `127.0.0.1:8080`, `192.168.1.5:8080`, `[fe80::1]:8080` or `unix:PATH`.
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
    // Port 0, any free one, is not a port of a host name.
    let isAnyPort = text.hasSuffix(":0")
    guard let host = HostName(header: isAnyPort ? text.dropLast(2) : text[...]),
      let port = isAnyPort && host.port == nil ? 0 : host.port,
      let address = HostName.address(host.name, AF_INET) ?? HostName.address(host.name, AF_INET6)
    else { throw .badPlace(text) }
    self = address == "127.0.0.1" ? .loopback(port: port) : .address(address, port: port)
  }
}

/// What a server accepts.
package struct AccessRules: Sendable {
  /// Where it listens.
  package var place: ListeningPlace
  /// Names in `Host` beside its own, each with or without a port: of a reverse proxy, or for an address.
  /// What comes under such a name needs the token for everything.
  package var names: [HostName]
  /// What has to be known to change something.
  package var token: SecretText
  /// Paths that are read without a token, such as the style sheet of the login page.
  package var openPaths: Set<String>

  /// The rules of a server.
  package init(
    place: ListeningPlace, names: [HostName] = [], token: SecretText, openPaths: Set<String> = []
  ) {
    self.place = place
    self.names = names
    self.token = token
    self.openPaths = openPaths
  }
}

/// Why a server does not start.
package enum WebServerFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is not a place to listen at.
  case badPlace(String)
  /// The text is not a host name, with or without a port.
  case badName(String)
  /// A token of fewer than 16 characters, or with others than printable ASCII, can be guessed or
  /// not be sent.
  case badToken
  /// The place is in use, or may not be used; with the system's reason.
  case cannotListen(place: String, reason: String)
  /// libmicrohttpd does not start.
  case noServer

  /// What went wrong, and what to do about it.
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

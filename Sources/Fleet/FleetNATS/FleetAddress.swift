// The address of a fleet: a NATS server and the name of the fleet on it, as one text.
//
// Credentials in files and certificates are in NATSSettings.swift.

import Fleet

/// A fleet on a server: `nats://gateway@nats.example.org:4222/hall`.
public struct FleetAddress: Equatable, Sendable, CustomStringConvertible {
  /// The kind of connection.
  public enum Scheme: String, CaseIterable, Sendable {
    /// Without encryption, unless the server asks for it.
    case nats
    /// With TLS.
    case tls
  }

  /// The port if the text has none.
  public static let defaultPort = 4222
  /// The longest name of a fleet.
  public static let longestName = 32

  /// The kind of connection.
  public let scheme: Scheme
  /// The host, without brackets.
  public let host: String
  /// The port.
  public let port: Int
  /// The user; nil if the server needs none, or a file has the credentials.
  public let user: String?
  /// The user's password.
  public let password: String?
  /// The name of the fleet on the server.
  public let fleet: String

  /// Parses an address.
  ///
  /// - Parameter secret: The password of a user whose password is not in the text, which others may see.
  /// - Throws: ``FleetAddressError``.
  public init(parsing text: String, password secret: String? = nil) throws(FleetAddressError) {
    let expected = "expected nats://HOST:PORT/FLEET, or tls://…"
    func wrong(_ what: String) -> FleetAddressError { FleetAddressError("\(what) (\(expected))") }
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let scheme = Scheme(rawValue: String(parts[0])) else {
      throw wrong("'\(Self.withoutPassword(text))' is not the address of a fleet")
    }
    let rest = parts[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard rest.count == 2, StoreName.isValid(String(rest[1])),
      rest[1].utf8.count <= Self.longestName
    else {
      let allowed = "a name of at most \(Self.longestName) letters, digits, '-' and '_'"
      throw wrong("the name of the fleet is missing or invalid: it is \(allowed)")
    }
    var place = rest[0]
    var user: String?
    var password: String?
    if let at = place.lastIndex(of: "@") {
      let both = place[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = try Self.decoded(both[0])
      password = both.count == 2 ? try Self.decoded(both[1]) : secret
      place = place[place.index(after: at)...]
    }
    var port = Self.defaultPort
    if let colon = place.lastIndex(of: ":"), !place[colon...].contains("]") {
      guard let number = Int(place[place.index(after: colon)...]), (1...65535).contains(number)
      else { throw wrong("'\(place)' has an invalid port") }
      port = number
      place = place[..<colon]
    }
    let host = place.hasPrefix("[") && place.hasSuffix("]") ? place.dropFirst().dropLast() : place
    guard !host.isEmpty else { throw wrong("the host is missing") }
    self.scheme = scheme
    self.host = String(host)
    self.port = port
    self.user = user
    self.password = password
    fleet = String(rest[1])
  }

  /// `nats://host:4222`, without user and fleet.
  public var server: String {
    "\(scheme.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// The first part of the subjects at which this user receives replies, so that the server can keep other users
  /// from them: `_INBOX_` and the user's name, or `_INBOX` without a user.
  public var inboxPrefix: String {
    guard let user else { return "_INBOX" }
    let name = user.map { letter in
      letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-") ? letter : "_"
    }
    return "_INBOX_" + String(name.prefix(64))
  }

  /// The address without the password.
  public var description: String {
    "fleet \(fleet) on \(server), " + (user.map { "user \($0)" } ?? "no user name")
  }

  private static func withoutPassword(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    return "…" + text[at...]
  }

  /// Decodes percent-encoding: `%40` becomes `@`.
  private static func decoded(_ text: Substring) throws(FleetAddressError) -> String {
    var octets: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let octet = rest.popFirst() {
      guard octet == UInt8(ascii: "%") else {
        octets.append(octet)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else {
        throw FleetAddressError("'%' in a user or a password is followed by two hexadecimal digits")
      }
      octets.append(value)
      rest = rest.dropFirst(2)
    }
    return String(decoding: octets, as: UTF8.self)
  }
}

/// A text that is not the address of a fleet.
public struct FleetAddressError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The problem and the expected form.
  public let description: String

  init(_ description: String) { self.description = description }
}

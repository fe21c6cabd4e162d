// The host in a Host or Origin header: parsed strictly, and normalized.
//
// AccessDecision decides which hosts are accepted.

import Glibc

/// A host with an optional port, as in `Host`: `localhost:8080`, `[::1]:8080`.
///
/// Different spellings of a host are equal: letters are made lower case, one trailing dot is removed, and
/// an IPv6 address gets its short form. `127.1` and `0x7f.0.0.1`, which some resolvers accept as addresses,
/// are refused.
package struct HostName: Hashable, Sendable {
  /// The name or address in lower case; an IPv6 address without brackets.
  package let name: String
  /// The port; nil when none is given.
  package let port: UInt16?

  init(name: String, port: UInt16?) {
    self.name = name
    self.port = port
  }

  /// Parses a host name from the command line.
  ///
  /// - Throws: ``WebServerFailure/badName(_:)``.
  package init(_ text: String) throws(WebServerFailure) {
    guard let host = HostName(header: text) else { throw .badName(text) }
    self = host
  }

  /// Parses the value of a header; nil if it is not a host with an optional port.
  init?(header text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.count <= 300, bytes.allSatisfy({ (0x21...0x7e).contains($0) })
    else {
      return nil
    }
    let rest: Substring.UTF8View.SubSequence
    let text = Substring(text).utf8
    if bytes[0] == UInt8(ascii: "[") {
      guard let close = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let inside = String(Substring(text[text.index(after: text.startIndex)..<close]))
      guard let address = Self.address(inside, AF_INET6) else { return nil }
      name = address
      rest = text[text.index(after: close)...]
    } else {
      let end = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
      guard let name = Self.name(String(Substring(text[..<end]))) else { return nil }
      self.name = name
      rest = text[end...]
    }
    guard !rest.isEmpty else {
      port = nil
      return
    }
    guard rest.first == UInt8(ascii: ":"), let port = Self.port(rest.dropFirst()) else {
      return nil
    }
    self.port = port
  }

  /// Parses a port of 1 to 65535, without leading zeros.
  static func port(_ text: some Collection<UInt8>) -> UInt16? {
    guard (1...5).contains(text.count), text.first != UInt8(ascii: "0"),
      text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return UInt16(exactly: text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
  }

  /// Returns an address in its short form; nil if the text is no address of the family.
  static func address(_ text: String, _ family: Int32) -> String? {
    var address = in6_addr()
    guard inet_pton(family, text, &address) == 1 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      inet_ntop(family, &address, buffer.baseAddress, 64).map { String(cString: $0) }
    }
  }

  /// Normalizes a DNS name or an IPv4 address; nil if the text is neither.
  private static func name(_ text: String) -> String? {
    var name = text.lowercased()
    if name.hasSuffix(".") { name.removeLast() }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count)
        && label.utf8.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
    guard isName, name.utf8.count <= 253, let last = labels.last else { return nil }
    // A host whose last label begins with a digit must be an IPv4 address.
    if last.first?.isNumber == true { return address(name, AF_INET) }
    return name
  }
}

/// The value of an Origin header.
struct Origin: Equatable {
  let isEncrypted: Bool
  let host: HostName

  /// Parses an origin; nil for `null` and for other schemes than HTTP.
  init?(header text: String) {
    let schemes = [
      (prefix: "http://", isEncrypted: false), (prefix: "https://", isEncrypted: true),
    ]
    guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0.prefix) }),
      let host = HostName(header: text.dropFirst(scheme.prefix.count))
    else { return nil }
    isEncrypted = scheme.isEncrypted
    self.host = host
  }

  /// Whether the origin has the host and the port that a request is sent to.
  func isSame(as asked: HostName) -> Bool {
    let standard: UInt16 = isEncrypted ? 443 : 80
    return host.name == asked.name && (host.port ?? standard) == (asked.port ?? standard)
  }
}

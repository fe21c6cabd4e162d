// The decision whether a request is allowed: one pure function of the request, the rules and the sessions.
//
// The rules themselves are in AccessRules; the answers to refused requests in Refusals.

import Signals

/// A request before its body is read.
struct RequestHead: Equatable {
  /// The method as it was sent.
  let method: String
  /// The target as it was sent.
  let target: String
  /// The headers in order; their names are lower case.
  let headers: [WebRequest.Field]
  /// The local address that it arrived at; nil on a Unix socket.
  let arrivedAt: String?
  /// Whether libmicrohttpd had to mend invalid lines: folded, with a NUL, or ended with only LF.
  var isMended = false

  func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
}

/// The decision about a request.
enum AccessDecision: Equatable {
  /// Let the handler answer.
  case handle(WebMethod, RequestTarget)
  /// Answer with the login page.
  case loginForm
  /// Log the browser in with the token in the body.
  case logIn
  /// Redirect the browser to the login page.
  case goToLogin
  case refuse(Refusal)

  /// The reason why a request is refused.
  enum Refusal: Equatable {
    case badTarget, badHost, foreignHost, badHeader, doubledHeader(String), badLength
    case lengthRequired, bodyTooLarge, headersTooLarge
    case unknownMethod, loginMethod
    case missingOrigin, foreignOrigin
    case missingToken, wrongToken, tooManyTries, tooManyChanges
    case stopping
  }
}

/// The inputs of a decision other than the request.
struct AccessCheck {
  let rules: AccessRules
  let limits: WebLimits
  /// The port that the server listens at; nil for a Unix socket.
  let port: UInt16?
  let sessions: Sessions
  let now: Instant
  /// Whether too many wrong tokens came from the address of the request.
  var isHeldBack = false

  /// The path of the login page.
  static let loginPath = ["login"]

  /// Returns the name of the session's cookie. It has the port, because browsers share cookies between all
  /// ports of a host.
  static func cookieName(port: UInt16?) -> String {
    "session_\(port.map { String($0) } ?? "unix")"
  }

  /// Decides about one request.
  func decide(_ request: RequestHead) -> AccessDecision {
    do throws(Refused) {
      return try admit(request)
    } catch {
      return .refuse(error.refusal)
    }
  }

  private struct Refused: Error { let refusal: AccessDecision.Refusal }

  private func admit(_ request: RequestHead) throws(Refused) -> AccessDecision {
    guard !request.isMended,
      request.headers.allSatisfy({ Self.isHeaderName($0.name) && Self.isHeaderValue($0.value) })
    else { throw Refused(refusal: .badHeader) }
    for name in ["authorization", "content-length", "origin", "transfer-encoding"]
    where request.values(name).count > 1 {
      throw Refused(refusal: .doubledHeader(name))
    }
    guard let target = RequestTarget(request.target) else { throw Refused(refusal: .badTarget) }
    let asked = try host(of: request, target)
    try checkOrigin(of: request, asked)
    let isHead = request.method == "HEAD"
    guard let method = isHead ? .get : WebMethod(rawValue: request.method) else {
      throw Refused(refusal: .unknownMethod)
    }
    try checkLength(of: request)
    if method.changesState, request.values("origin").isEmpty {
      throw Refused(refusal: .missingOrigin)
    }
    if target.segments == Self.loginPath {
      switch method {
      case .get: return .loginForm
      case .post: return isHeldBack ? .refuse(.tooManyTries) : .logIn
      case .put, .delete: return .refuse(.loginMethod)
      }
    }
    let isOpen = rules.openPaths.contains("/" + target.segments.joined(separator: "/"))
    if !method.changesState, isOpen || asked.isLocal { return .handle(method, target) }
    return try checkToken(of: request, method) ? .handle(method, target) : .goToLogin
  }

  /// Whether a name has only valid characters. Servers disagree about the meaning of others.
  private static func isHeaderName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }

  /// Whether a value has no control characters, which end a value for some servers and a line for others.
  private static func isHeaderValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == UInt8(ascii: "\t") }
  }

  // MARK: Host and Origin

  /// The host that a request was sent to.
  private struct RequestedHost {
    let host: HostName
    /// Whether it is one of ``AccessRules/names``, such as that of a reverse proxy.
    let isForwarded: Bool
    /// Whether the request comes from this host, as far as can be told.
    let isLocal: Bool
  }

  private func host(of request: RequestHead, _ target: RequestTarget) throws(Refused)
    -> RequestedHost
  {
    let hosts = request.values("host")
    guard hosts.count == 1, let host = HostName(header: hosts[0]) else {
      throw Refused(refusal: .badHost)
    }
    if let other = target.host, other != host { throw Refused(refusal: .badHost) }
    let isOwn = isOwn(host, arrivedAt: request.arrivedAt)
    guard isOwn || rules.names.contains(where: { isName($0, of: host) }) else {
      throw Refused(refusal: .foreignHost)
    }
    let isOpenToUser =
      switch rules.place {
      case .loopback, .unix: true
      case .address: false
      }
    let signs = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"]
    let passedOn = signs.contains { !request.values($0).isEmpty }
    return RequestedHost(
      host: host, isForwarded: !isOwn, isLocal: isOpenToUser && isOwn && !passedOn)
  }

  private func isOwn(_ host: HostName, arrivedAt: String?) -> Bool {
    switch rules.place {
    case .unix: return host.name == "localhost"
    case .loopback:
      return (host.port ?? 80) == port && ["localhost", "127.0.0.1", "::1"].contains(host.name)
    case .address(let address, _):
      guard (host.port ?? 80) == port else { return false }
      let isAny = ["0.0.0.0", "::"].contains(address)
      // An attacker can make a name resolve to this host (DNS rebinding). An address in Host, however, is
      // the one that the browser connected to.
      return host.name == (isAny ? arrivedAt : address)
    }
  }

  private func isName(_ name: HostName, of host: HostName) -> Bool {
    guard name.name == host.name else { return false }
    guard let port = name.port else { return true }
    return host.port.map { $0 == port } ?? [80, 443].contains(port)
  }

  /// Refuses all requests of pages with another origin, even if they could not read the answer.
  private func checkOrigin(of request: RequestHead, _ asked: RequestedHost) throws(Refused) {
    if let text = request.values("origin").first {
      guard let origin = Origin(header: text), origin.isSame(as: asked.host),
        !origin.isEncrypted || asked.isForwarded
      else { throw Refused(refusal: .foreignOrigin) }
    }
    let isFromElsewhere = request.values("sec-fetch-site").contains {
      ["cross-site", "same-site"].contains($0.lowercased())
    }
    let isLink = request.values("sec-fetch-mode").contains { $0.lowercased() == "navigate" }
    if isFromElsewhere, !isLink { throw Refused(refusal: .foreignOrigin) }
  }

  // MARK: Length and token

  private func checkLength(of request: RequestHead) throws(Refused) {
    let size = request.headers.reduce(request.target.utf8.count) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
    guard size <= limits.headerBytes else { throw Refused(refusal: .headersTooLarge) }
    let length = request.values("content-length").first
    if !request.values("transfer-encoding").isEmpty {
      throw Refused(refusal: length == nil ? .lengthRequired : .badLength)
    }
    guard let length else { return }
    guard let bytes = Int(length), length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw Refused(refusal: .badLength)
    }
    guard bytes <= limits.bodyBytes else { throw Refused(refusal: .bodyTooLarge) }
  }

  /// Returns true if the request has a session or the token; false if the browser should get the login page.
  private func checkToken(of request: RequestHead, _ method: WebMethod) throws(Refused) -> Bool {
    if hasSession(request) { return true }
    if let text = request.values("authorization").first {
      if isHeldBack { throw Refused(refusal: .tooManyTries) }
      let words = text.split(separator: " ")
      guard words.count == 2, words[0].lowercased() == "bearer", rules.token.matches(words[1])
      else { throw Refused(refusal: .wrongToken) }
      return true
    }
    let isPage = request.values("accept").contains { $0.contains("text/html") }
    if !method.changesState, isPage { return false }
    throw Refused(refusal: .missingToken)
  }

  private func hasSession(_ request: RequestHead) -> Bool {
    let cookies = request.values("cookie").joined(separator: ";").split(separator: ";").map {
      $0.drop { $0 == " " }
    }
    let prefix = Self.cookieName(port: port) + "="
    return cookies.filter { $0.hasPrefix(prefix) }.prefix(4).contains {
      sessions.contains($0.dropFirst(prefix.count), at: now)
    }
  }
}

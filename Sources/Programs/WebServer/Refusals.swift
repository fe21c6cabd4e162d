// The answers to refused requests, and the security headers of every answer.
//
// Which requests are refused is decided by AccessDecision.

extension AccessDecision.Refusal {
  /// The answer to the request. It never repeats a text of the request, which could be an attack.
  var response: WebResponse {
    var response = WebResponse(status: status, text: reason + "\n")
    switch self {
    case .missingToken, .wrongToken:
      response.headers.append(.init("WWW-Authenticate", "Bearer"))
    case .tooManyTries, .tooManyChanges: response.headers.append(.init("Retry-After", "12"))
    case .unknownMethod: response.headers.append(.init("Allow", "GET, HEAD, POST, PUT, DELETE"))
    case .loginMethod: response.headers.append(.init("Allow", "GET, HEAD, POST"))
    case .stopping: response.headers.append(.init("Retry-After", "2"))
    case .badTarget, .badHost, .foreignHost, .badHeader, .doubledHeader, .badLength,
      .lengthRequired, .bodyTooLarge, .headersTooLarge, .missingOrigin, .foreignOrigin:
      break
    }
    return response
  }

  private var status: Int {
    switch self {
    case .badTarget, .badHost, .badHeader, .doubledHeader, .badLength: 400
    case .missingToken, .wrongToken: 401
    case .missingOrigin, .foreignOrigin: 403
    case .unknownMethod, .loginMethod: 405
    case .lengthRequired: 411
    case .bodyTooLarge: 413
    case .foreignHost: 421
    case .tooManyTries, .tooManyChanges: 429
    case .headersTooLarge: 431
    case .stopping: 503
    }
  }

  private var reason: String {
    switch self {
    case .badTarget: "Invalid request target"
    case .badHost: "Expected exactly one valid Host"
    case .foreignHost: "This server does not answer for that host"
    case .badHeader: "Invalid header"
    case .doubledHeader(let name): "Duplicate header \(name)"
    case .badLength: "Invalid Content-Length"
    case .lengthRequired: "Content-Length is required"
    case .bodyTooLarge: "The body is too large"
    case .headersTooLarge: "The headers are too large"
    case .unknownMethod, .loginMethod: "Method not allowed"
    case .missingOrigin: "Origin is required"
    case .foreignOrigin: "Requests from pages of another origin are refused"
    case .missingToken: "A token is required"
    case .wrongToken: "Wrong token"
    case .tooManyTries: "Too many wrong tokens: try again later"
    case .tooManyChanges: "Too many requests: try again later"
    case .stopping: "The server is stopping"
    }
  }
}

/// The headers that protect pages and their users.
enum SecurityHeaders {
  /// The headers of every answer. Pages load only from this server, have no inline scripts, and cannot be
  /// embedded in other pages.
  static let all: [WebRequest.Field] = [
    .init(
      "Content-Security-Policy",
      """
      default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
      img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'
      """
    ),
    .init("X-Content-Type-Options", "nosniff"),
    .init("Referrer-Policy", "no-referrer"),
    .init("Cache-Control", "no-store"),
    .init("Cross-Origin-Resource-Policy", "same-origin"),
    .init("Cross-Origin-Opener-Policy", "same-origin"),
    .init("X-Frame-Options", "DENY"),
  ]

  /// Returns all headers of an answer. A header of the answer replaces the one of the same name in ``all``.
  static func headers(of response: WebResponse) -> [WebRequest.Field] {
    var own = response.headers.filter { field in
      (field.name + field.value).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } && !field.name.isEmpty
    }
    if let type = response.contentType { own.append(.init("Content-Type", type)) }
    let replaced = Set(own.map { $0.name.lowercased() })
    return own + all.filter { !replaced.contains($0.name.lowercased()) }
  }
}

// The answer of a handler.
//
// The server adds the headers that every answer has: see SecurityHeaders.

/// An answer: a status, a few headers, and either bytes or a stream of events.
package struct WebResponse: Sendable {
  /// The body of an answer.
  package enum Body: Sendable {
    /// The complete body.
    case bytes([UInt8])
    /// Server-sent events, until the feed is closed or the browser disconnects. A feed serves one answer.
    case events(EventFeed)
  }

  /// The status code, such as 200.
  package var status: Int
  /// The value of `Content-Type`; nil when there is no body.
  package var contentType: String?
  /// The headers in addition to those of every answer. A header with a control character is not sent.
  package var headers: [WebRequest.Field]
  /// The body.
  package var body: Body

  /// Creates an answer with bytes.
  package init(
    status: Int = 200, contentType: String?, headers: [WebRequest.Field] = [], bytes: [UInt8]
  ) {
    self.status = status
    self.contentType = contentType
    self.headers = headers
    body = .bytes(bytes)
  }

  /// Creates an answer with text.
  package init(
    status: Int = 200, contentType: String = "text/plain; charset=utf-8",
    headers: [WebRequest.Field] = [], text: String
  ) {
    self.init(status: status, contentType: contentType, headers: headers, bytes: Array(text.utf8))
  }

  /// Creates an answer with an HTML page.
  package static func page(_ html: String, status: Int = 200) -> WebResponse {
    WebResponse(status: status, contentType: "text/html; charset=utf-8", text: html)
  }

  /// Creates an answer with JSON, which the caller has encoded.
  package static func json(_ text: String, status: Int = 200) -> WebResponse {
    WebResponse(status: status, contentType: "application/json", text: text)
  }

  /// Creates an answer with a file, such as a style sheet: `.file(style, "text/css; charset=utf-8")`.
  package static func file(_ bytes: [UInt8], _ contentType: String) -> WebResponse {
    WebResponse(contentType: contentType, bytes: bytes)
  }

  /// Creates an answer with server-sent events (`text/event-stream`). The feed serves only this answer.
  package static func events(_ feed: EventFeed) -> WebResponse {
    var response = WebResponse(contentType: "text/event-stream; charset=utf-8", bytes: [])
    response.body = .events(feed)
    return response
  }

  /// Success, without a body (204).
  package static let noContent = WebResponse(status: 204, contentType: nil, bytes: [])

  /// No such path (404).
  package static let notFound = WebResponse(status: 404, text: "Not found\n")

  /// Creates an answer to an invalid request, with the reason (400).
  package static func badRequest(_ reason: String) -> WebResponse {
    WebResponse(status: 400, text: reason + "\n")
  }

  /// Creates an answer to a forbidden request, with the reason (403).
  package static func forbidden(_ reason: String) -> WebResponse {
    WebResponse(status: 403, text: reason + "\n")
  }

  /// Creates an answer for a path that only has other methods (405). `GET` includes `HEAD`.
  package static func methodNotAllowed(allow methods: [WebMethod]) -> WebResponse {
    let names = methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
    return WebResponse(
      status: 405, headers: [.init("Allow", names.joined(separator: ", "))],
      text: "Method not allowed\n"
    )
  }

  /// Creates a redirect to another path of this server, for a `GET` (303).
  package static func seeOther(_ path: String) -> WebResponse {
    WebResponse(status: 303, headers: [.init("Location", path)], text: "See \(path)\n")
  }

  /// Creates an answer that asks to try again later, with the reason (503).
  package static func unavailable(_ reason: String) -> WebResponse {
    WebResponse(status: 503, headers: [.init("Retry-After", "2")], text: reason + "\n")
  }
}

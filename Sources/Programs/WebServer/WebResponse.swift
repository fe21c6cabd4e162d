// What a handler answers.
//
// The headers that every answer carries are added by the server: see SecurityHeaders.

/// An answer: a status, a few headers, and either bytes or a stream of events.
package struct WebResponse: Sendable {
  /// What follows the headers.
  package enum Body: Sendable {
    /// All of it.
    case bytes([UInt8])
    /// Server-sent events, until the feed is closed or the browser leaves. A feed serves one answer.
    case events(EventFeed)
  }

  /// The status code, such as 200.
  package var status: Int
  /// The value of `Content-Type`; nil when there is no body.
  package var contentType: String?
  /// Headers beside those that every answer carries. One with a line break in it is not sent.
  package var headers: [WebRequest.Field]
  /// What follows the headers.
  package var body: Body

  /// An answer of bytes.
  package init(
    status: Int = 200, contentType: String?, headers: [WebRequest.Field] = [], bytes: [UInt8]
  ) {
    self.status = status
    self.contentType = contentType
    self.headers = headers
    body = .bytes(bytes)
  }

  /// An answer of text.
  package init(
    status: Int = 200, contentType: String = "text/plain; charset=utf-8",
    headers: [WebRequest.Field] = [], text: String
  ) {
    self.init(status: status, contentType: contentType, headers: headers, bytes: Array(text.utf8))
  }

  /// A page of HTML.
  package static func page(_ html: String, status: Int = 200) -> WebResponse {
    WebResponse(status: status, contentType: "text/html; charset=utf-8", text: html)
  }

  /// A document in JSON, which the caller has encoded.
  package static func json(_ text: String, status: Int = 200) -> WebResponse {
    WebResponse(status: status, contentType: "application/json", text: text)
  }

  /// A file, such as a style sheet: `.file(style, "text/css; charset=utf-8")`.
  package static func file(_ bytes: [UInt8], _ contentType: String) -> WebResponse {
    WebResponse(contentType: contentType, bytes: bytes)
  }

  /// Server-sent events (`text/event-stream`) from a feed that serves this answer alone.
  package static func events(_ feed: EventFeed) -> WebResponse {
    var response = WebResponse(contentType: "text/event-stream; charset=utf-8", bytes: [])
    response.body = .events(feed)
    return response
  }

  /// Done; nothing to show for it (204).
  package static let noContent = WebResponse(status: 204, contentType: nil, bytes: [])

  /// Nothing has this address (404).
  package static let notFound = WebResponse(status: 404, text: "Not found\n")

  /// The request does not make sense, and why (400).
  package static func badRequest(_ reason: String) -> WebResponse {
    WebResponse(status: 400, text: reason + "\n")
  }

  /// What is asked for may not be done, and why (403).
  package static func forbidden(_ reason: String) -> WebResponse {
    WebResponse(status: 403, text: reason + "\n")
  }

  /// The address exists, with other methods (405). `GET` brings `HEAD` with it.
  package static func methodNotAllowed(allow methods: [WebMethod]) -> WebResponse {
    let names = methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
    return WebResponse(
      status: 405, headers: [.init("Allow", names.joined(separator: ", "))],
      text: "Method not allowed\n"
    )
  }

  /// Go and `GET` that address of this server (303).
  package static func seeOther(_ path: String) -> WebResponse {
    WebResponse(status: 303, headers: [.init("Location", path)], text: "See \(path)\n")
  }

  /// Not now, and why (503).
  package static func unavailable(_ reason: String) -> WebResponse {
    WebResponse(status: 503, headers: [.init("Retry-After", "2")], text: reason + "\n")
  }
}

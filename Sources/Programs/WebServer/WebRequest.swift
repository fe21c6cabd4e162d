// A request as a handler gets it: parsed, complete, and allowed.
//
// It knows no socket. AccessDecision decides which requests are allowed.

/// The method of a request.
///
/// A `HEAD` request is handled as ``get``; the server sends no body for it. Any other method is
/// answered with 405 before a handler sees it.
package enum WebMethod: String, CaseIterable, Sendable {
  /// Reads; changes nothing.
  case get = "GET"
  /// Changes something: needs the token and the server's own origin.
  case post = "POST"
  /// Changes something: needs the token and the server's own origin.
  case put = "PUT"
  /// Changes something: needs the token and the server's own origin.
  case delete = "DELETE"

  /// Whether a request with this method may change something.
  package var changesState: Bool {
    switch self {
    case .get: false
    case .post, .put, .delete: true
    }
  }
}

/// A request that has passed the checks of Host, Origin and token.
///
/// ```
/// func handle(_ request: WebRequest) async -> WebResponse {
///   switch (request.method, request.segments.first) {
///   case (.get, nil): .page(index)
///   case (.get, "devices"): .json(devices(named: request["name"]))
///   case (_, "devices"): .methodNotAllowed(allow: [.get])
///   default: .notFound
///   }
/// }
/// ```
package struct WebRequest: Equatable, Sendable {
  /// A name with its value, in the query or the headers.
  package struct Field: Equatable, Sendable {
    /// The name; of a header, in lower case.
    package let name: String
    /// The value; of a header, without surrounding white space.
    package let value: String

    /// Creates a field.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The method; also ``WebMethod/get`` for `HEAD`.
  package let method: WebMethod
  /// The parts of the path between slashes, each decoded; empty for `/`.
  ///
  /// Compare these instead of ``path``: a part may contain a slash that was sent as `%2F`.
  package let segments: [String]
  /// The parts of the query in order, decoded.
  package let query: [Field]
  /// The headers in order; their names are lower case.
  package let headers: [Field]
  /// The body, in full; at most ``WebLimits/bodyBytes``.
  package let body: [UInt8]

  /// Creates a request; public for tests of handlers.
  package init(
    _ method: WebMethod, segments: [String], query: [Field] = [], headers: [Field] = [],
    body: [UInt8] = []
  ) {
    self.method = method
    self.segments = segments
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// The decoded path: `/devices/HRM 1`.
  package var path: String { "/" + segments.joined(separator: "/") }

  /// The first value of a name in the query; nil if it has none.
  package subscript(query: String) -> String? { self.query.first { $0.name == query }?.value }

  /// Returns the value of the first header with a name, in any case; nil if there is none.
  package func header(_ name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name == name }?.value
  }
}

// The web server as its users see it: rules and limits in front of a handler.
//
// Daemon is the implementation, on libmicrohttpd.

package import Signals

/// An HTTP/1.1 server for a few browsers, on a given event loop and without its own thread.
///
/// The server itself answers `/login` and every request that the rules refuse. The handler answers all
/// other requests.
///
/// ```
/// let rules = AccessRules(place: .loopback(port: 8080), token: .generated())
/// let server = WebServer(on: loop, rules: rules) { request in
///   request.path == "/" ? .page(index) : .notFound
/// }
/// let address = try await server.start()
/// await server.stop(within: .seconds(2))
/// ```
package final class WebServer: Sendable {
  /// Answers one request. Called on the loop in a new task, which is cancelled when
  /// ``WebLimits/handlingTime`` has passed or the server stops.
  package typealias Handler = @Sendable (WebRequest) async -> WebResponse

  /// The address of a started server.
  package struct Address: Equatable, Sendable {
    /// The URL for a browser, such as `http://127.0.0.1:8080/`; nil for a Unix socket.
    package let url: String?
    /// The port; nil for a Unix socket.
    package let port: UInt16?
    /// The text for messages: the URL, or `unix:PATH`.
    package let text: String
  }

  private let daemon: Daemon

  /// Creates a server that does not listen yet.
  ///
  /// - Parameters:
  ///   - loop: The loop that the server and the handler run on.
  ///   - rules: The rules of access.
  ///   - limits: The limits of connections and requests.
  ///   - loginPage: The page with the form for the token: `method="post" action="/login"` with a
  ///     field `token`. `isRetry` is true after a wrong token.
  ///   - handler: Answers the allowed requests.
  package init(
    on loop: Loop, rules: AccessRules, limits: WebLimits = WebLimits(),
    loginPage: @escaping @Sendable (_ isRetry: Bool) -> WebResponse = LoginPage.plain,
    handler: @escaping Handler
  ) {
    daemon = Daemon(on: loop, rules, limits, loginPage: loginPage, handler: handler)
  }

  /// Begins to listen. Must be called only once.
  ///
  /// - Returns: The address. If port 0 was requested, it has the port that the system chose.
  /// - Throws: ``WebServerFailure``; `LoopShutDown`.
  package func start() async throws -> Address {
    try await daemon.loop.task { [daemon] in try daemon.start() }.value
  }

  /// Stops listening, closes event streams, and lets pending answers end. Whatever is left when the limit
  /// has passed is ended. Returns within `limit`, regardless of the number of browsers.
  package func stop(within limit: Duration) async {
    try? await daemon.loop.task { [daemon] in await daemon.stop(within: limit) }.value
  }

  /// The current load.
  package var load: Load { daemon.load.withLock { $0 } }

  /// The load of a server.
  package struct Load: Equatable, Sendable {
    /// The number of open connections.
    package var connections = 0
    /// The number of open connections that are event streams.
    package var streams = 0
  }
}

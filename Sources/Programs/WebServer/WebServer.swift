// The server: rules and limits in front of a handler, on the loop of the devices.

package import Signals

/// An HTTP/1.1 server for a few browsers, on an event loop of ours, without a thread of its own.
///
/// It answers by itself what the rules refuse, and `/login`; everything else is the handler's.
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
  /// Answers one request. Called on the loop, in a task of its own, which is cancelled when the
  /// time for it has passed or the server stops.
  package typealias Handler = @Sendable (WebRequest) async -> WebResponse

  /// Where a started server is found.
  package struct Address: Equatable, Sendable {
    /// What a browser is given, such as `http://127.0.0.1:8080/`; nil for a Unix socket.
    package let url: String?
    /// The port; nil for a Unix socket.
    package let port: UInt16?
    /// For people: the URL, or `unix:PATH`.
    package let text: String
  }

  private let daemon: Daemon

  /// A server that does nothing yet.
  ///
  /// - Parameters:
  ///   - loop: Where everything happens.
  ///   - rules: Who may ask for what.
  ///   - limits: How much they may cost.
  ///   - loginPage: The page with the form for the token: `method="post" action="/login"` with a
  ///     field `token`. `isRetry` is true after a wrong token.
  ///   - handler: What answers.
  package init(
    on loop: Loop, rules: AccessRules, limits: WebLimits = WebLimits(),
    loginPage: @escaping @Sendable (_ isRetry: Bool) -> WebResponse = LoginPage.plain,
    handler: @escaping Handler
  ) {
    daemon = Daemon(on: loop, rules, limits, loginPage: loginPage, handler: handler)
  }

  /// Begins to listen. To be called once.
  ///
  /// - Returns: Where; with the port that was found when 0 was asked for.
  /// - Throws: ``WebServerFailure``; `LoopShutDown`.
  package func start() async throws -> Address {
    try await daemon.loop.task { [daemon] in try daemon.start() }.value
  }

  /// Stops listening, closes every stream, lets answers end that are under way, and ends what is
  /// left when the limit has passed. Returns within `limit`, however many browsers there are.
  package func stop(within limit: Duration) async {
    try? await daemon.loop.task { [daemon] in await daemon.stop(within: limit) }.value
  }

  /// How many connections and event streams are open now.
  package var load: Load { daemon.load.withLock { $0 } }

  /// How busy a server is.
  package struct Load: Equatable, Sendable {
    /// Open connections.
    package var connections = 0
    /// Those of them that are event streams.
    package var streams = 0
  }
}

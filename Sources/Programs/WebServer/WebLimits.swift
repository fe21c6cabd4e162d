// The limits on what one browser, or a hostile client, can use.

/// The limits of a server. The defaults suit a dashboard with a few users.
package struct WebLimits: Sendable {
  /// The most open connections; a further one is closed immediately.
  package var connections = 256
  /// The most open connections from one address. Does not apply to a Unix socket.
  package var connectionsPerAddress = 64
  /// The most open event streams; a further one is answered with 503.
  package var streams = 64
  /// The greatest total size of the request line and the headers; more is answered with 431.
  package var headerBytes = 16 << 10
  /// The greatest size of a body; more is answered with 413.
  package var bodyBytes = 1 << 20
  /// The limit for receiving a complete request, from the end of the previous answer.
  package var requestTime = Duration.seconds(30)
  /// The limit of a handler; after it the answer is 503.
  package var handlingTime = Duration.seconds(30)
  /// The limit for sending an answer that is not a stream.
  package var answerTime = Duration.seconds(120)
  /// The longest time that a connection may make no progress; whole seconds.
  package var stallTime = Duration.seconds(30)
  /// The pause between heartbeats of a stream without events.
  package var heartbeat = Duration.seconds(15)
  /// The wrong tokens that an address may send in a burst; see ``wrongTokenPause``.
  package var wrongTokens = 5
  /// The time after which an address may send a further wrong token.
  package var wrongTokenPause = Duration.seconds(12)
  /// The changing requests that an address may send in a burst; see ``changePause``.
  package var changes = 50
  /// The time after which an address may send a further changing request.
  package var changePause = Duration.milliseconds(100)
  /// The most logged-in browsers; a further one logs the oldest out.
  package var sessions = 64
  /// How long a browser stays logged in.
  package var sessionTime = Duration.seconds(7 * 24 * 3600)

  /// Creates the default limits.
  package init() {}
}

// How much a browser, or somebody hostile, may cost.

/// The limits of a server. Each has a value that suits a dashboard for a few people.
package struct WebLimits: Sendable {
  /// How many connections are open at once; one more is closed at once.
  package var connections = 256
  /// How many of them one address may have; a Unix socket counts as one address without this limit.
  package var connectionsPerAddress = 64
  /// How many event streams are open at once; one more is answered with 503.
  package var streams = 64
  /// How large the request line and the headers are together; more is answered with 431.
  package var headerBytes = 16 << 10
  /// How large a body is; more is answered with 413.
  package var bodyBytes = 1 << 20
  /// How long a connection has for its next complete request, from the end of its last answer on.
  package var requestTime = Duration.seconds(30)
  /// How long a handler has; then the answer is 503.
  package var handlingTime = Duration.seconds(30)
  /// How long the browser has to receive a whole answer that is not a stream.
  package var answerTime = Duration.seconds(120)
  /// How long a connection may make no progress at all; whole seconds.
  package var stallTime = Duration.seconds(30)
  /// After how long a quiet stream is sent a heartbeat.
  package var heartbeat = Duration.seconds(15)
  /// How many wrong tokens an address may send at once; each further needs ``wrongTokenPause``.
  package var wrongTokens = 5
  /// How long a wrong token is held against an address.
  package var wrongTokenPause = Duration.seconds(12)
  /// How many requests that change something an address may send at once; each further needs
  /// ``changePause``.
  package var changes = 50
  /// How long such a request is counted.
  package var changePause = Duration.milliseconds(100)
  /// How many browsers stay logged in; one more logs the oldest out.
  package var sessions = 64
  /// How long a browser stays logged in.
  package var sessionTime = Duration.seconds(7 * 24 * 3600)

  /// The default limits.
  package init() {}
}

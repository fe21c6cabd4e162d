// Which streams the present code is downstream of.
//
// Ending what a stream comes from, out of the stream's own sink, loses what it would still send. A
// device's operations look here before they do that.

/// A stream that is open while its sink runs.
package struct OpenStream: Hashable, Sendable {
  private let source: ObjectIdentifier
  private let name: String

  /// - Parameters:
  ///   - source: The object that knows of the connection that the stream needs. It lives as long as
  ///     the stream.
  ///   - name: Which of its connections that is.
  package init(of source: AnyObject, _ name: String) {
    self.source = ObjectIdentifier(source)
    self.name = name
  }

  /// The streams whose sinks the present code runs in. Operators that hand values to another task
  /// pass it on with the value, except `delay`, which goes on meanwhile.
  @TaskLocal package static var current: Set<OpenStream> = []

  /// Calls what begins work that nobody awaits here: it is downstream of no stream.
  static func outside<R>(_ begin: () -> R) -> R {
    current.isEmpty ? begin() : $current.withValue([]) { begin() }
  }

  /// Calls a sink of this stream.
  nonisolated(nonsending)
    package func whileOpen(_ body: () async throws -> Void) async throws
  {
    try await Self.$current.withValue(Self.current.union([self])) { try await body() }
  }
}

/// The streams that the sources of an operator send from, where the consumer runs in another task
/// than they do.
final class StreamsUpstream: Sendable {
  private let around = OpenStream.current
  private let state = Guarded<[Int: Set<OpenStream>]>([:])

  /// Calls what begins a source: it is downstream of what the operator is, whatever the operator deals with.
  func outside<R>(_ begin: () -> R) -> R {
    OpenStream.current == around ? begin() : OpenStream.$current.withValue(around) { begin() }
  }

  /// The source has sent a value from the sinks of these streams. Called in the task of the source.
  func note(source: Int = 0) {
    let streams = OpenStream.current
    state.withLock { $0[source] = streams.isEmpty ? nil : streams }
  }

  /// The source has ended, and its streams with it.
  func ended(source: Int = 0) { state.withLock { $0[source] = nil } }

  /// Calls a sink, or what calls one, downstream of all these streams.
  nonisolated(nonsending)
    func whileOpen<R>(_ body: () async throws -> R) async rethrows -> R
  {
    let upstream = state.withLock { $0.isEmpty ? nil : $0 }
    guard let upstream else { return try await body() }
    let all = upstream.values.reduce(OpenStream.current) { $0.union($1) }
    return try await OpenStream.$current.withValue(all) { try await body() }
  }
}

/// The streams that an operator runs downstream of, apart from those that it starts itself.
///
/// An operator that stops its source after a value it knows to be the last sends that one outside of
/// the source's streams: they send nothing more, and so nothing can be lost.
@usableFromInline
struct StreamsAround: Sendable {
  private let streams: Set<OpenStream>

  @usableFromInline init() { streams = OpenStream.current }

  /// Whether the present code runs in the sinks of no other streams.
  @usableFromInline var areAll: Bool { OpenStream.current == streams }

  /// Sends the last value.
  @usableFromInline
  nonisolated(nonsending)
    func withLast(_ body: () async throws -> Void) async throws
  {
    try await OpenStream.$current.withValue(streams) { try await body() }
  }
}

// The streams whose sinks the current code runs in.
//
// Code that handles a notification must not end the connection that the notification came over: the
// stream would lose its remaining values. Device operations check `OpenStream.current` first.

/// A stream whose sink is running.
package struct OpenStream: Hashable, Sendable {
  private let source: ObjectIdentifier
  private let name: String

  /// - Parameters:
  ///   - source: The owner of the connection that the stream depends on. It must outlive the
  ///     stream.
  ///   - name: The connection, among those of `source`.
  package init(of source: AnyObject, _ name: String) {
    self.source = ObjectIdentifier(source)
    self.name = name
  }

  /// The streams whose sinks enclose the current code. Operators that pass values to another task
  /// pass this along; only `delay` does not, because its source continues meanwhile.
  @TaskLocal package static var current: Set<OpenStream> = []

  /// Starts work that the current sink does not await: it counts as inside no stream.
  static func outside<R>(_ begin: () -> R) -> R {
    current.isEmpty ? begin() : $current.withValue([]) { begin() }
  }

  /// Runs `body`, a sink of this stream.
  nonisolated(nonsending)
    package func whileOpen(_ body: () async throws -> Void) async throws
  {
    try await Self.$current.withValue(Self.current.union([self])) { try await body() }
  }
}

/// The streams that the values of an operator came from, if its consumer runs in another task than
/// its sources.
final class StreamsUpstream: Sendable {
  private let around = OpenStream.current
  private let state = Guarded<[Int: Set<OpenStream>]>([:])

  /// Starts a source: it is inside the streams that enclose the operator, and not in those of the
  /// value that the operator is handling.
  func outside<R>(_ begin: () -> R) -> R {
    OpenStream.current == around ? begin() : OpenStream.$current.withValue(around) { begin() }
  }

  /// Records the streams that the source sends its current value from. Called in the source's task.
  func note(source: Int = 0) {
    let streams = OpenStream.current
    state.withLock { $0[source] = streams.isEmpty ? nil : streams }
  }

  /// Removes the streams of a source that has ended.
  func ended(source: Int = 0) { state.withLock { $0[source] = nil } }

  /// Runs `body`, which calls a sink, inside all recorded streams.
  nonisolated(nonsending)
    func whileOpen<R>(_ body: () async throws -> R) async rethrows -> R
  {
    let upstream = state.withLock { $0.isEmpty ? nil : $0 }
    guard let upstream else { return try await body() }
    let all = upstream.values.reduce(OpenStream.current) { $0.union($1) }
    return try await OpenStream.$current.withValue(all) { try await body() }
  }
}

/// The streams that enclose an operator, without those of its own source.
///
/// An operator that stops its source after a known last value, such as `take`, sends that value
/// outside the source's streams: they send nothing more, so ending their connection loses nothing.
@usableFromInline
struct StreamsAround: Sendable {
  private let streams: Set<OpenStream>

  @usableFromInline init() { streams = OpenStream.current }

  /// Whether the current code runs inside no further streams.
  @usableFromInline var areAll: Bool { OpenStream.current == streams }

  /// Runs `body`, which sends the last value, outside the streams of the source.
  @usableFromInline
  nonisolated(nonsending)
    func withLast(_ body: () async throws -> Void) async throws
  {
    try await OpenStream.$current.withValue(streams) { try await body() }
  }
}

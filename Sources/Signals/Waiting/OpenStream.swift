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
  /// pass it on with the value, except those that go on meanwhile: a merging `flattenMap`, `delay`.
  @TaskLocal package static var current: Set<OpenStream> = []

  /// Calls a sink of this stream.
  nonisolated(nonsending)
    package func whileOpen(_ body: () async throws -> Void) async throws
  {
    try await Self.$current.withValue(Self.current.union([self])) { try await body() }
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

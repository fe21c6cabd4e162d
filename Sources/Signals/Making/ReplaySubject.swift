// A subject whose late observers get the last values.

/// A ``Subject`` that keeps its last values for observers that come late.
///
/// ```
/// send                1---2---3-------4---complete
/// late observer                 2-3---4---|          (count 2)
/// after the end                                3-4|
/// ```
///
/// An observer first gets the last `count` values, then what is sent while it observes; after the
/// end, it gets the last values and the end.
///
/// ```swift
/// let log = ReplaySubject<String>(count: 100)
/// log.send("connected")
/// log.signal.observe(on: loop) { print($0) }   // "connected" too
/// ```
public final class ReplaySubject<Value: Sendable>: Sendable {
  private let broadcast: Broadcast<Value>

  /// Makes a subject that nobody observes.
  ///
  /// - Parameters:
  ///   - count: How many values it keeps, at least 1; the oldest makes room for the newest.
  ///   - bufferLimit: How many further values may wait for one observer before that observer fails
  ///     with ``BufferOverflow``.
  public init(count: Int, bufferLimit: Int = 65_536) {
    precondition(count > 0, "a ReplaySubject must keep at least one value: use Subject")
    broadcast = Broadcast(replaying: count, bufferLimit: bufferLimit)
  }

  /// Sends a value to everybody who observes now, and keeps it. Ignored after the end.
  public func send(_ value: Value) { broadcast.send(value) }

  /// Completes every observer, once it has taken what was sent before.
  public func complete() { broadcast.end(.success(())) }

  /// Fails every observer, once it has taken what was sent before.
  public func fail(_ error: any Error) { broadcast.end(.failure(error)) }

  /// How many observers there are.
  public var observerCount: Int { broadcast.observerCount }

  /// The last values, then what is sent from the moment of starting on.
  public var signal: Signal<Value> { broadcast.signal }
}

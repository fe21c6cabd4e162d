// A signal fed by hand, for many observers.

/// A source of values that code outside signals feeds.
///
/// ```
/// send        1---2---3---complete
/// observer    |---2---3---|
/// ```
///
/// It is hot: an observer gets what is sent while it observes, and an observer that comes after the
/// end gets the end. With ``init(replaying:bufferLimit:)`` a late observer first gets the last values:
///
/// ```
/// send                1---2---3-------4---complete
/// late observer                 2-3---4---|          (replaying 2)
/// after the end                                3-4|
/// ```
///
/// Values may be sent from any thread; each observer gets them in the order of
/// sending, through a buffer of its own. A slow observer slows nobody.
///
/// ```swift
/// let presses = Subject<Int>()
/// presses.signal.observe(on: loop) { print($0) }
/// presses.send(1)
///
/// let isPaused = Subject<Bool>(replaying: 1)
/// isPaused.send(false)
/// isPaused.signal.observe(on: loop) { print($0) }  // false, then what changes
/// ```
public final class Subject<Value: Sendable>: Sendable {
  private let broadcast: Broadcast<Value>

  /// Makes a subject that nobody observes.
  ///
  /// - Parameters:
  ///   - count: How many of the last values a late observer gets first; 0 for none.
  ///   - bufferLimit: How many further values may wait for one observer before that observer fails
  ///     with ``BufferOverflow``.
  public init(replaying count: Int = 0, bufferLimit: Int = 65_536) {
    precondition(count >= 0, "a subject cannot replay \(count) values")
    broadcast = Broadcast(replaying: count, bufferLimit: bufferLimit)
  }

  /// Sends a value to everybody who observes now. Ignored after the end.
  public func send(_ value: Value) { broadcast.send(value) }

  /// Completes every observer, once it has taken what was sent before; and later ones at once.
  public func complete() { broadcast.end(.success(())) }

  /// Fails every observer, once it has taken what was sent before; and later ones at once.
  public func fail(_ error: any Error) { broadcast.end(.failure(error)) }

  /// How many observers there are.
  public var observerCount: Int { broadcast.observerCount }

  /// The last values, as far as they are replayed, then what is sent from the moment of starting on.
  public var signal: Signal<Value> { broadcast.signal }
}

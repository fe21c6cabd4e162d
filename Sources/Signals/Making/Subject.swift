// A signal fed by hand, for many observers.

/// A source of values that code outside signals feeds.
///
/// ```
/// send        1---2---3---complete
/// observer    |---2---3---|
/// ```
///
/// It is hot: an observer gets what is sent while it observes, and an observer that comes after the
/// end gets the end. Values may be sent from any thread; each observer gets them in the order of
/// sending, through a buffer of its own. A slow observer slows nobody.
///
/// ```swift
/// let presses = Subject<Int>()
/// presses.signal.observe(on: loop) { print($0) }
/// presses.send(1)
/// ```
public final class Subject<Value: Sendable>: Sendable {
  private let broadcast: Broadcast<Value>

  /// Makes a subject that nobody observes.
  ///
  /// - Parameter bufferLimit: How many values may wait for one observer before that observer fails
  ///   with ``BufferOverflow``.
  public init(bufferLimit: Int = 65_536) {
    broadcast = Broadcast(replaying: 0, bufferLimit: bufferLimit)
  }

  /// Sends a value to everybody who observes now. Ignored after the end.
  public func send(_ value: Value) { broadcast.send(value) }

  /// Completes every observer, once it has taken what was sent before; and later ones at once.
  public func complete() { broadcast.end(.success(())) }

  /// Fails every observer, once it has taken what was sent before; and later ones at once.
  public func fail(_ error: any Error) { broadcast.end(.failure(error)) }

  /// How many observers there are.
  public var observerCount: Int { broadcast.observerCount }

  /// What is sent from the moment of starting on.
  public var signal: Signal<Value> { broadcast.signal }
}

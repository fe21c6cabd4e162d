// A source of values sent by code outside signals.

/// A source of values that are sent by code outside signals.
///
/// ```
/// send        1---2---3---complete
/// observer    |---2---3---|
/// ```
///
/// It is hot: an observer gets the values that are sent while it observes, and a later one only the
/// end. With ``init(replaying:bufferLimit:)``, a late observer first gets the last values:
///
/// ```
/// send                1---2---3-------4---complete
/// late observer                 2-3---4---|          (replaying 2)
/// after the end                                3-4|
/// ```
///
/// Values may be sent from any thread. Each observer gets them in the order of sending, through its
/// own buffer, so a slow observer slows neither the sender nor other observers.
///
/// ```swift
/// let presses = Subject<Int>()
/// presses.signal.observe(on: loop) { print($0) }
/// presses.send(1)
///
/// let isPaused = Subject<Bool>(replaying: 1)
/// isPaused.send(false)
/// isPaused.signal.observe(on: loop) { print($0) }  // false, then later values
/// ```
public final class Subject<Value: Sendable>: Sendable {
  private let broadcast: Broadcast<Value>

  /// Makes a subject without observers.
  ///
  /// - Parameters:
  ///   - count: The number of last values that a late observer gets first; 0 for none.
  ///   - bufferLimit: The number of further values that may wait for one observer; with one more,
  ///     that observer fails with ``BufferOverflow``.
  public init(replaying count: Int = 0, bufferLimit: Int = 65_536) {
    precondition(count >= 0, "a subject cannot replay \(count) values")
    broadcast = Broadcast(replaying: count, bufferLimit: bufferLimit)
  }

  /// Sends a value to all present observers. Ignored after the end.
  public func send(_ value: Value) { broadcast.send(value) }

  /// Completes every present observer, after the values sent before, and every later one at once.
  public func complete() { broadcast.end(.success(())) }

  /// Fails every present observer, after the values sent before, and every later one at once.
  public func fail(_ error: any Error) { broadcast.end(.failure(error)) }

  /// The number of observers.
  public var observerCount: Int { broadcast.observerCount }

  /// A signal of the replayed values and all values sent after its start.
  public var signal: Signal<Value> { broadcast.signal }
}

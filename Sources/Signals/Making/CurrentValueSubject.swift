// A subject that always has a value.

/// A ``Subject`` with a present value, which an observer gets first.
///
/// ```
/// send             1---2-------3---complete
/// late observer          2-----3---|
/// after the end                        3|
/// ```
///
/// ReactiveSwift's `MutableProperty` and RxSwift's `BehaviorSubject`; Combine's and Rx's send only
/// the end to an observer that comes after it.
///
/// ```swift
/// let isPaused = CurrentValueSubject(false)
/// isPaused.send(true)
/// isPaused.value                                  // true
/// isPaused.signal.observe(on: loop) { print($0) }  // true, then what changes
/// ```
public final class CurrentValueSubject<Value: Sendable>: Sendable {
  private let broadcast: Broadcast<Value>

  /// Makes a subject that nobody observes.
  ///
  /// - Parameters:
  ///   - value: The present value.
  ///   - bufferLimit: How many further values may wait for one observer before that observer fails
  ///     with ``BufferOverflow``.
  public init(_ value: Value, bufferLimit: Int = 65_536) {
    broadcast = Broadcast([value], replaying: 1, bufferLimit: bufferLimit)
  }

  /// The value that was sent last, or the first one.
  public var value: Value { broadcast.recent[0] }

  /// Changes the value and sends it to everybody who observes now, also when it is equal. Ignored
  /// after the end.
  public func send(_ value: Value) { broadcast.send(value) }

  /// Completes every observer, once it has taken what was sent before.
  public func complete() { broadcast.end(.success(())) }

  /// Fails every observer, once it has taken what was sent before.
  public func fail(_ error: any Error) { broadcast.end(.failure(error)) }

  /// How many observers there are.
  public var observerCount: Int { broadcast.observerCount }

  /// The present value, then what is sent from the moment of starting on.
  public var signal: Signal<Value> { broadcast.signal }
}

// A lazy description of work that sends values.
//
// Only the type. Making has the constructors, the other folders the operators.

/// A description of work that sends values. Each run does the work again.
///
/// Nothing happens until it is run. Then it sends values and ends once: it completes by returning,
/// fails by throwing, and is cancelled by the cancellation of its task. The sink is called from one
/// task, one value at a time, and awaited, so a slow consumer slows the producer. The body must
/// rethrow the sink's errors unchanged: a consumer stops its producer by throwing. `EventContract`
/// has the complete rules.
@frozen
public struct Signal<Value: Sendable>: Sendable {
  /// The work: sends values into the sink, returns to complete, throws to fail.
  public typealias Body =
    @Sendable (_ sink: (Value) async throws -> Void) async throws -> Void

  @usableFromInline let work: SignalWork<Value>

  /// The scheduler whose turn the work acquires when it is started outside a turn; nil for none.
  public let home: SerialScheduler?

  /// Describes work.
  ///
  /// ```
  /// body     sends 1, sends 2, returns
  /// signal   1-2|
  /// ```
  ///
  /// ```swift
  /// let countdown = Signal<Int> { sink in
  ///   for number in [3, 2, 1] { try await sink(number) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - home: The scheduler whose turn the work needs; nil for none.
  ///   - body: The work. It runs on a loop, and should suspend only in
  ///     ``wait(on:operation:limit:otherwise:start:)``, so that it ends at once when cancelled.
  @inlinable
  public init(home: SerialScheduler? = nil, _ body: @escaping Body) {
    self.init(home: home, .described(body))
  }

  @inlinable
  init(home: SerialScheduler?, _ work: SignalWork<Value>) {
    self.work = work
    self.home = home
  }

  /// Runs the work in the current task, and sends the values to `sink`.
  ///
  /// An operator runs its source with it:
  ///
  /// ```swift
  /// extension Signal where Value == Double {
  ///   func rounded() -> Signal {
  ///     Signal(home: home) { sink in try await run { try await sink($0.rounded()) } }
  ///   }
  /// }
  /// ```
  ///
  /// - Throws: The failure of the work, or the error of `sink`.
  @inlinable
  public func run(_ sink: (Value) async throws -> Void) async throws {
    switch work {
    case .described(let body): try await body(sink)
    case .linked(let link): try await link.run(sink)
    }
  }

  /// Sets the home of this signal: outside a turn, it acquires one of `scheduler`.
  ///
  /// ```
  /// another run           1-2-|
  /// source.on(scheduler)       1-2-|      (after the other run)
  /// ```
  ///
  /// ```swift
  /// Signal.interval(.seconds(1)).take(10).on(scheduler)
  /// ```
  @inlinable
  public func on(_ scheduler: SerialScheduler) -> Signal {
    Signal(home: scheduler, work)
  }
}

/// Thrown by a consumer that needs no more values, to stop its producer.
@usableFromInline
struct Stopped: Error {
  @usableFromInline init() {}

  /// The shared instance: throwing it allocates nothing.
  @usableFromInline static let stopped: any Error = Stopped()

  /// Whether `error` is `Stopped`. Much faster than `error is Stopped`, a dynamic cast.
  @inlinable
  static func isThrown(_ error: any Error) -> Bool { type(of: error) == Stopped.self }
}

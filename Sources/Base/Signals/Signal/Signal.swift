// A lazy description of work that sends values.
//
// Only the type; how to make one is in Making, what to do with it in the other folders.

/// A description of work that sends values, done anew each time it is started.
///
/// Nothing happens until it is run. Then it sends `value*` and ends once: it completes by
/// returning, fails by throwing, and is cancelled by the cancellation of its task. The sink is
/// awaited, so a slow consumer slows the producer; it is called from one task, one value at a time.
/// What the sink throws must pass through the body unchanged: this is how a consumer stops a
/// producer. The laws are in `EventContract`.
@frozen
public struct Signal<Value: Sendable>: Sendable {
  /// The work: sends values into the sink, returns to complete, throws to fail.
  public typealias Body =
    @Sendable (_ sink: (Value) async throws -> Void) async throws -> Void

  @usableFromInline let work: SignalWork<Value>

  /// The scheduler whose turn the work takes when it is started outside one.
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
  ///   - home: The scheduler on which the work belongs; nil where it does not matter.
  ///   - body: The work. It runs on a loop; what it waits for should be waited for with
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

  /// Does the work in the present task, sending the values to `sink`.
  ///
  /// This is how an operator runs its source:
  ///
  /// ```swift
  /// extension Signal where Value == Double {
  ///   func rounded() -> Signal {
  ///     Signal(home: home) { sink in try await run { try await sink($0.rounded()) } }
  ///   }
  /// }
  /// ```
  ///
  /// - Throws: What the work failed with, or what `sink` threw.
  @inlinable
  public func run(_ sink: (Value) async throws -> Void) async throws {
    switch work {
    case .described(let body): try await body(sink)
    case .linked(let link): try await link.run(sink)
    }
  }

  /// The same work, at home on `scheduler`: started outside a turn, it takes one there.
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

/// Thrown through a producer by a consumer that needs no more values.
@usableFromInline
struct Stopped: Error {
  @usableFromInline init() {}

  /// Made once: throwing it costs nothing.
  @usableFromInline static let stopped: any Error = Stopped()

  /// The same as `error is Stopped`, which asks the runtime for much more.
  @inlinable
  static func isThrown(_ error: any Error) -> Bool { type(of: error) == Stopped.self }
}

// One signal run in a task of its own, so that it can be stopped without stopping its consumer.

/// A producer in a child task, and the consumer that takes its values one at a time.
final class ChildRun<Value: Sendable>: Sendable {
  let loop: Loop
  private let signal: Signal<Value>
  private let handoff: Handoff<Value>
  private let task = Guarded<Task<Void, Never>?>(nil)
  private let isStopped = Guarded(false)
  /// What the producer came to, once it has ended.
  private let outcome = Guarded<Result<Void, any Error>?>(nil)

  init(of signal: Signal<Value>) throws {
    self.signal = signal
    loop = try Carried.requireLoop()
    handoff = Handoff(on: loop)
  }

  /// Starts the producer, in other surroundings where some are given.
  func start(in carried: Carried? = Carried.current) {
    let work = Task(executorPreference: loop) { [signal, handoff, outcome, carried] in
      let result = await Carried.$current.withValue(carried) {
        await ending { try await signal.run { try await handoff.send($0) } }
      }
      outcome.withLock { $0 = result }
      handoff.finish(result)
    }
    task.withLock { $0 = work }
    if isStopped.withLock({ $0 }) { work.cancel() }
  }

  /// Ends the producer: the consumer then completes.
  func stop() {
    isStopped.withLock { $0 = true }
    cancel()
  }

  /// Cancels the producer: the consumer then fails as it did.
  func cancel() { task.withLock { $0 }?.cancel() }

  /// The next event.
  ///
  /// When a deadline of the consumer's passes meanwhile, what the producer was doing says more than
  /// that its value was waited for.
  private func next() async throws -> Handoff<Value>.Event {
    do {
      return try await handoff.next()
    } catch let error as TimedOut {
      cancel()
      handoff.close()
      await task.withLock { $0 }?.value
      guard case .failure(let own)? = outcome.withLock({ $0 }), !(own is CancellationError) else {
        throw error
      }
      throw own
    }
  }

  /// Gives the values to `sink` until the producer ends; then it has ended.
  ///
  /// - Parameter paused: Called around each call of `sink`: with true before, with false after.
  func pump(
    paused: (Bool) -> Void = { _ in },
    _ sink: (Value) async throws -> Void
  ) async throws {
    do {
      while true {
        switch try await next() {
        case .value(let value, let taken):
          if isStopped.withLock({ $0 }) {
            taken.fail(CancellationError())
            continue
          }
          paused(true)
          try await sink(value)
          paused(false)
          taken.succeed(())
        case .finished(let result):
          await task.withLock { $0 }?.value
          if isStopped.withLock({ $0 }) { return }
          return try result.get()
        }
      }
    } catch {
      cancel()
      handoff.close()
      await task.withLock { $0 }?.value
      throw error
    }
  }
}

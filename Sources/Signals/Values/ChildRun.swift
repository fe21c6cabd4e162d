// One signal run in a task of its own, so that it can be stopped without stopping its consumer.

/// A producer in a child task, and the consumer that takes its values one at a time.
final class ChildRun<Value: Sendable>: Sendable {
  let loop: Loop
  private let signal: Signal<Value>
  private let handoff: Handoff<Delivered>

  /// A value, and which streams it was sent from the sinks of.
  private struct Delivered: Sendable {
    let value: Value
    let streams: Set<OpenStream>
  }
  private let task = Guarded<ChildTask?>(nil)
  /// How the consumer is to end, once the producer was stopped.
  private let stopped = Guarded<Result<Void, any Error>?>(nil)
  /// What the producer came to, once it has ended.
  private let outcome = Guarded<Result<Void, any Error>?>(nil)

  init(of signal: Signal<Value>) throws {
    self.signal = signal
    loop = try Loop.current
    handoff = Handoff(on: loop)
  }

  /// Starts the producer, in other surroundings where some are given.
  func start(in run: Run? = nil) {
    let work = ChildTask(on: loop, in: run) { [signal, handoff, outcome] in
      let result = await ending {
        try await signal.run {
          try await handoff.send(Delivered(value: $0, streams: OpenStream.current))
        }
      }
      outcome.withLock { $0 = result }
      handoff.finish(result)
    }
    task.withLock { $0 = work }
    if stopped.withLock({ $0 }) != nil { work.cancel() }
  }

  /// Ends the producer: the consumer then completes or fails with `result`.
  func stop(_ result: Result<Void, any Error>) {
    stopped.withLock { $0 = $0 ?? result }
    cancel()
  }

  /// Cancels the producer: the consumer then fails as it did.
  func cancel() { task.withLock { $0 }?.cancel() }

  /// The next event.
  ///
  /// When a deadline of the consumer passes meanwhile, the failed wait is explained by the producer.
  private func next() async throws -> Handoff<Delivered>.Event {
    do {
      return try await handoff.next()
    } catch let error as TimedOut {
      cancel()
      handoff.close()
      await task.withLock { $0 }?.ended()
      throw error.explained(by: outcome.withLock { $0 })
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
        case .value(let delivered, let taken):
          if stopped.withLock({ $0 }) != nil {
            taken.fail(CancellationError())
            continue
          }
          paused(true)
          if delivered.streams.isEmpty {
            try await sink(delivered.value)
          } else {
            let streams = OpenStream.current.union(delivered.streams)
            try await OpenStream.$current.withValue(streams) { try await sink(delivered.value) }
          }
          paused(false)
          taken.succeed(())
        case .finished(let result):
          await task.withLock { $0 }?.ended()
          return try (stopped.withLock { $0 } ?? result).get()
        }
      }
    } catch {
      cancel()
      handoff.close()
      await task.withLock { $0 }?.ended()
      throw error
    }
  }

  /// The same, while `companion` runs beside; it is ended with the producer.
  func pump(
    beside companion: ChildTask,
    _ sink: (Value) async throws -> Void
  ) async throws {
    do {
      try await pump(sink)
    } catch {
      await companion.end()
      throw error
    }
    await companion.end()
  }
}

// A signal as an asynchronous sequence.

/// The values of a signal, for `for try await`.
///
/// The signal starts with the iteration, runs on its home's loop, takes no turn, and is cancelled
/// when the iterator goes away. A slow loop body slows the producer.
public struct SignalValues<Value: Sendable>: AsyncSequence, Sendable {
  let signal: Signal<Value>
  let loop: Loop

  public func makeAsyncIterator() -> Iterator {
    Iterator(signal: signal, loop: loop)
  }

  /// One run of the signal.
  public final class Iterator: AsyncIteratorProtocol {
    private let signal: Signal<Value>
    private let loop: Loop
    private let handoff: Handoff<Value>
    private var task: Task<Void, Never>?
    private var taken: Completion<Void>?
    private var hasEnded = false

    init(signal: Signal<Value>, loop: Loop) {
      self.signal = signal
      self.loop = loop
      handoff = Handoff(on: loop)
    }

    deinit {
      handoff.close()
      task?.cancel()
    }

    /// The next value; nil after completion.
    public func next() async throws -> Value? {
      guard !hasEnded else { return nil }
      if task == nil {
        task = loop.work { [signal, handoff] in
          handoff.finish(await ending { try await signal.run { try await handoff.send($0) } })
        }
      }
      taken?.succeed(())
      taken = nil
      switch try await handoff.next() {
      case .value(let value, let taken):
        self.taken = taken
        return value
      case .finished(let result):
        hasEnded = true
        try result.get()
        return nil
      }
    }
  }
}

extension Signal {
  /// The values as an asynchronous sequence.
  public var values: SignalValues<Value> {
    SignalValues(signal: self, loop: home?.loop ?? Carried.current?.loop ?? EventLoop())
  }
}

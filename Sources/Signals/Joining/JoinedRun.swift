// Several signals of different types, run side by side for one consumer.
//
// Which values are sent together is the business of LatestOrder and ZipOrder.

/// Where the value of one joined signal waits for those of the others.
final class JoinedSlot<Value: Sendable>: Sendable {
  private let content = Guarded<Value?>(nil)

  func store(_ value: Value) { content.withLock { $0 = value } }

  /// The value, which has come.
  var value: Value {
    guard let value = content.withLock({ $0 }) else {
      preconditionFailure("a joined value is asked for before it has come")
    }
    return value
  }
}

/// One run of joined signals, which are known by their index.
final class JoinedRun {
  /// What one of the signals has done.
  enum Event: Sendable {
    /// It sent a value, which `store` puts into its slot.
    case value(store: @Sendable () -> Void)
    case ended(Result<Void, any Error>)
  }

  private let loop: Loop
  private let handoff: Handoff<(index: Int, event: Event)>
  private var tasks: [ChildTask] = []
  private let streams = StreamsUpstream()

  init() throws(NotOnLoop) {
    loop = try Loop.current
    handoff = Handoff(on: loop)
  }

  /// How many signals there are.
  var count: Int { tasks.count }

  /// Starts the next signal.
  func start<Value: Sendable>(_ signal: Signal<Value>, into slot: JoinedSlot<Value>) {
    let index = tasks.count
    tasks.append(
      ChildTask(on: loop) { [handoff, streams] in
        let result = await ending {
          try await signal.run { value in
            streams.note(source: index)
            try await handoff.send((index, .value(store: { slot.store(value) })))
          }
        }
        streams.ended(source: index)
        try? await handoff.send((index, .ended(result)))
      }
    )
  }

  /// Calls `receive` with each event, in the order they come, until it returns false; then cancels
  /// what still runs and waits for its clean-up.
  ///
  /// A signal waits from its event until what `receive` is given with it has been ended.
  func pump(
    _ receive: (_ index: Int, Event, _ taken: Completion<Void>) async throws -> Bool
  ) async throws {
    do {
      while case .value(let (index, event), let taken) = try await handoff.next() {
        let goesOn = try await streams.whileOpen { try await receive(index, event, taken) }
        guard goesOn else { break }
      }
    } catch {
      await end()
      throw error
    }
    await end()
  }

  private func end() async {
    handoff.close()
    for task in tasks { task.cancel() }
    for task in tasks { await task.ended() }
  }
}

/// The first home of several signals.
func firstHome<each Input: Sendable>(_ inputs: repeat Signal<each Input>) -> SerialScheduler? {
  for input in repeat each inputs {
    if let home = input.home { return home }
  }
  return nil
}

// One run of a merging flattenMap: the outer signal, the inner ones, and who is let in.

/// The tasks of one run, and the meeting point through which their values pass in turn.
final class MergedRun<Outer: Sendable, R: Sendable> {
  private enum Step: Sendable {
    case outer(Outer)
    case outerEnded(Result<Void, any Error>)
    case inner(Int, R)
    case innerEnded(Int, Result<Void, any Error>)
  }

  private let limit: Int
  private let replacing: Bool
  private let transform: @Sendable (Outer) throws -> Signal<R>
  private let loop: Loop
  private let handoff: Handoff<Step>
  private var outerTask: ChildTask?
  private var inner: [(id: Int, task: ChildTask)] = []
  private var nextID = 0
  private var outerEnded = false
  /// The outer value that waits for room.
  private var held: (value: Outer, taken: Completion<Void>)?

  init(
    limit: Int,
    replacing: Bool,
    _ transform: @escaping @Sendable (Outer) throws -> Signal<R>
  ) throws {
    self.limit = limit
    self.replacing = replacing
    self.transform = transform
    loop = try Loop.current
    handoff = Handoff(on: loop)
  }

  func start(outer: Signal<Outer>) {
    let handoff = handoff
    outerTask = ChildTask(on: loop) {
      let result = await ending { try await outer.run { try await handoff.send(.outer($0)) } }
      try? await handoff.send(.outerEnded(result))
    }
  }

  func pump(_ sink: (R) async throws -> Void) async throws {
    while !(outerEnded && inner.isEmpty) {
      guard case .value(let step, let taken) = try await handoff.next() else { continue }
      switch step {
      case .outer(let value):
        try await admit(value, taken)
      case .outerEnded(let result):
        taken.succeed(())
        try result.get()
        outerEnded = true
      case .inner(let id, let value):
        if inner.contains(where: { $0.id == id }) { try await sink(value) }
        taken.succeed(())
      case .innerEnded(let id, let result):
        taken.succeed(())
        guard let index = inner.firstIndex(where: { $0.id == id }) else { continue }
        inner.remove(at: index)
        try result.get()
        if let (value, waiting) = held {
          held = nil
          try await admit(value, waiting)
        }
      }
    }
  }

  private func admit(_ value: Outer, _ taken: Completion<Void>) async throws {
    if replacing, let (_, task) = inner.popLast() {
      // Its last offer fails with it: a cancelled task waits for nobody.
      await task.end()
    }
    guard inner.count < limit else {
      held = (value, taken)
      return
    }
    nextID += 1
    let id = nextID
    let handoff = handoff
    let signal = try transform(value)
    let task = ChildTask(on: loop) {
      let result = await ending { try await signal.run { try await handoff.send(.inner(id, $0)) } }
      try? await handoff.send(.innerEnded(id, result))
    }
    inner.append((id, task))
    taken.succeed(())
  }

  func cancelAll() async {
    handoff.close()
    outerTask?.cancel()
    for (_, task) in inner { task.cancel() }
    for (_, task) in inner { await task.ended() }
    await outerTask?.ended()
  }
}

/// How `body` ends, as a value.
@usableFromInline
func ending(_ body: () async throws -> Void) async -> Result<Void, any Error> {
  do {
    return .success(try await body())
  } catch {
    return .failure(error)
  }
}

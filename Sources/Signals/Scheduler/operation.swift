// Operations on what a scheduler serialises: the leaves at which a run takes its turn.

extension Signal {
  /// Describes an operation on something whose use `scheduler` serialises: a device.
  ///
  /// ```
  /// other run     1-2-3-|
  /// operation             a-b-|      (waits for its turn)
  /// ```
  ///
  /// Where a run reaches one, it is decided at once, before anything waits, whether it may begin:
  /// - in a turn of `scheduler`, it belongs to that turn;
  /// - in a run without a home, the run takes a turn of `scheduler`, and holds it to its end;
  /// - in a turn of another scheduler it fails with ``OtherScheduler``, and in a turn that has ended
  ///   with ``TurnEnded``;
  /// - from another loop than that of `scheduler`, it fails with ``LoopNotDriven`` if one of them is
  ///   virtual;
  /// - outside a run, in ``Loop/task(_:)`` or in a task from elsewhere, it begins without a turn.
  ///
  /// ```swift
  /// func weight(of scale: SerialScale) -> Signal<Double> {
  ///   .operation(of: scale.scheduler, "weighing") { sink in
  ///     try await sink(try await scale.weigh())
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - scheduler: Where it belongs. `body` runs on that scheduler's loop.
  ///   - name: What it is called in these errors: "reading".
  ///   - body: The work, as for ``init(home:_:)``.
  @inlinable
  public static func operation(
    of scheduler: SerialScheduler,
    _ name: String,
    _ body: @escaping Body
  ) -> Signal {
    Signal(home: scheduler) { sink in
      if scheduler.isPresent {
        try await body(sink)
      } else {
        try await joining(scheduler, name, body, sink)
      }
    }
  }

  /// Runs `body` where it may run, if it may.
  @usableFromInline
  static func joining(
    _ scheduler: SerialScheduler,
    _ name: String,
    _ body: @escaping Body,
    _ sink: (Value) async throws -> Void
  ) async throws {
    guard let carried = Carried.current else { return try await body(sink) }
    switch try scheduler.place(of: name, in: carried) {
    case .here: try await body(sink)
    case .apart: try await apart(of: scheduler, name, in: carried, body, sink)
    case .adopting(let adopted):
      try await adopted.begun(on: carried.loop)
      if carried.loop === scheduler.loop, carried.isCovered, !carried.isAway {
        try await body(sink)
      } else {
        try await apart(of: scheduler, name, in: carried, body, sink)
      }
    }
  }

  /// Runs `body` in a task of its own on the scheduler's loop, which the end of the turn cancels and
  /// awaits.
  static func apart(
    of scheduler: SerialScheduler,
    _ name: String,
    in carried: Carried,
    _ body: @escaping Body,
    _ sink: (Value) async throws -> Void
  ) async throws {
    let loop = scheduler.loop
    let (turn, isCovered) = (carried.turn, carried.isCovered)
    let entry = try turn?.beginWork(name, isCovered: isCovered)
    // It may be another loop than the one that is driven for this run.
    loop.hold()
    defer { loop.letGo() }
    let run = ChildRun(of: Signal(body), on: loop)
    let surroundings = Carried(loop: loop, turn: turn, inside: carried, isBranch: true)
    let task = run.start(in: surroundings) {
      if let entry { turn?.endWork(entry) }
    }
    if let entry { turn?.attach(task, to: entry, isCovered: isCovered) }
    do {
      try await run.pump(sink)
    } catch is CancellationError where !Task.isCancelled && turn?.isEnding == true {
      throw turn?.ended(before: name) ?? CancellationError()
    }
  }
}

extension SerialScheduler {
  /// Whether the present task works in a turn of this scheduler, on its loop, and its work is awaited
  /// before that turn ends: an operation just runs.
  @usableFromInline var isPresent: Bool {
    guard let carried = Carried.current else { return false }
    return carried.turn?.scheduler === self && carried.loop === loop && carried.isCovered
      && !carried.isAway
  }

  /// Where an operation runs.
  enum Place {
    case here
    case apart
    case adopting(AdoptedTurn)
  }

  /// Decides whether an operation of this scheduler may begin in the present run, and where.
  func place(of operation: String, in carried: Carried) throws -> Place {
    guard let turn = carried.turn else {
      if carried.loop === loop, !carried.isAway { return .here }
      try requireDriven(by: carried.loop, operation)
      return .apart
    }
    if turn.scheduler === self { return .apart }
    guard turn.isOfRun else {
      throw OtherScheduler(operation: operation, present: turn.scheduler.name, wanted: name)
    }
    try requireDriven(by: carried.loop, operation)
    if !carried.isCovered { try turn.requireOpen(for: operation) }
    return .adopting(try turn.adopt(self, for: operation))
  }

  /// Runs `body` in a turn that a run without a home gives back before it goes on; inside a turn of
  /// this scheduler it belongs to that one.
  func separateTurn<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    guard let turn = Carried.current?.turn, turn.isOfRun,
      try turn.beginSeparateTurn(of: self)
    else { return try await self.turn(body) }
    defer { turn.endSeparateTurn() }
    return try await ownTurn("a turn of \(name)", named: turn.name, within: nil, body)
  }

  /// Checks that a run on `other` can wait for this scheduler's loop: both have real time.
  private func requireDriven(by other: Loop, _ operation: String) throws(LoopNotDriven) {
    if loop === other || !(loop.isVirtual || other.isVirtual) { return }
    throw LoopNotDriven(operation: operation, scheduler: name)
  }

  /// Checks that an async caller does not wait for a virtual loop that nobody drives.
  func requireDriver(for operation: String) throws(LoopNotDriven) {
    guard loop.isVirtual, Carried.current?.loop !== loop,
      !loop.state.withLock({ $0.hasDriver })
    else { return }
    throw LoopNotDriven(operation: operation, scheduler: name)
  }
}

extension Turn {
  /// Checks that a run of a signal with that home may begin in this turn.
  ///
  /// - Throws: ``OtherScheduler``; ``TurnEnded``.
  func requireHome(_ home: SerialScheduler?, for operation: String) throws {
    if let home, home !== scheduler, !isOfRun {
      throw OtherScheduler(operation: operation, present: scheduler.name, wanted: home.name)
    }
    if Carried.current?.isCovered != true { try requireOpen(for: operation) }
  }
}

extension Loop {
  /// Whether time passes only while somebody drives.
  final var isVirtual: Bool { !source.hasBackgroundThread }
}

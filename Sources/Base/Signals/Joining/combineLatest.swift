// The latest values of several signals, together.

/// Decides when each signal has sent a value, and when all have completed.
struct LatestOrder: Equatable {
  private var missing: Set<Int>
  private var running: Int

  init(count: Int) {
    missing = Set(0..<count)
    running = count
  }

  /// Records a value. Returns whether each signal has sent one, so that they are sent together.
  mutating func arrived(_ index: Int) -> Bool {
    missing.remove(index)
    return missing.isEmpty
  }

  /// Records a completion. Returns whether it was the last.
  mutating func completed() -> Bool {
    running -= 1
    return running == 0
  }
}

extension Signal {
  /// Runs the signals concurrently and sends their latest values, in the order of the signals.
  ///
  /// ```
  /// a                         1---2-----3-|
  /// b                         --x-----y---|
  /// combineLatest([a, b])     --[1,x]-[2,x]-[2,y]-[3,y]|
  /// ```
  ///
  /// It sends once each signal has a value, then again after each further value. It completes when
  /// all have completed; the first failure cancels the others, waits for their clean-up, and fails
  /// the result. A signal waits while the consumer handles its value: nothing is buffered.
  ///
  /// ```swift
  /// Signal.combineLatest(sensors.map { $0.read(.batteryLevel) }).map { $0.min() }
  /// ```
  public static func combineLatest(_ signals: [Signal]) -> Signal<[Value]> {
    Signal<[Value]>(home: signals.lazy.compactMap(\.home).first) { sink in
      guard !signals.isEmpty else { return }
      let branches = try Branches<Storing>()
      let slots = signals.map { JoinedSlot($0, in: branches) }
      try await branches.pumpLatest(of: slots.count) { try await sink(slots.map(\.value)) }
    }
  }

  /// Runs signals of different types concurrently and sends tuples of their latest values.
  ///
  /// ```
  /// a                     1---2-----3-|
  /// b                     --x-----y---|
  /// combineLatest(a, b)   --(1,x)-(2,x)-(2,y)-(3,y)|
  /// ```
  ///
  /// If two of them share a source, each of its values sends two tuples; the first still holds the
  /// previous value of one signal.
  ///
  /// ```swift
  /// Signal.combineLatest(temperatures, humidities, isOpen)
  ///   .map { temperature, humidity, isOpen in … }
  /// ```
  public static func combineLatest<each Input: Sendable>(
    _ inputs: repeat Signal<each Input>
  ) -> Signal where Value == (repeat each Input) {
    let inputs = (repeat each inputs)
    return Signal(home: firstHome(repeat each inputs)) { sink in
      let branches = try Branches<Storing>()
      let slots = (repeat JoinedSlot(each inputs, in: branches))
      var count = 0
      for _ in repeat each inputs { count += 1 }
      guard count > 0 else { return }
      try await branches.pumpLatest(of: count) { try await sink((repeat (each slots).value)) }
    }
  }
}

extension Branches<Storing> {
  /// Calls `send` after each value once every branch has sent one, until all have completed.
  fileprivate func pumpLatest(of count: Int, _ send: () async throws -> Void) async throws {
    var order = LatestOrder(count: count)
    try await pump { step, handled in
      switch step {
      case .sent(let index, let store):
        store()
        if order.arrived(index) { try await send() }
        handled.succeed(())
        return true
      case .ended(_, let result):
        try result.get()
        return !order.completed()
      }
    }
  }
}

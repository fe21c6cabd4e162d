// The latest values of several signals, together.

/// Decides when the latest values are complete, and when there will be none any more.
struct LatestOrder: Equatable {
  private var missing: Set<Int>
  private var running: Int

  init(count: Int) {
    missing = Set(0..<count)
    running = count
  }

  /// A value came. Returns whether there is one of each, which are then sent.
  mutating func arrived(_ index: Int) -> Bool {
    missing.remove(index)
    return missing.isEmpty
  }

  /// A signal completed. Returns whether it was the last.
  mutating func completed() -> Bool {
    running -= 1
    return running == 0
  }
}

extension Signal {
  /// Runs the signals side by side and sends their latest values, in the order of the signals.
  ///
  /// ```
  /// a                         1---2-----3-|
  /// b                         --x-----y---|
  /// combineLatest([a, b])     --[1,x]-[2,x]-[2,y]-[3,y]|
  /// ```
  ///
  /// The first time once each has sent one, then whenever one sends another. It completes when all
  /// have completed; the first failure cancels the others, waits for their clean-up, and ends all.
  /// A signal waits while the consumer deals with its value: nothing is buffered.
  ///
  /// ```swift
  /// Signal.combineLatest(sensors.map { $0.read(.batteryLevel) }).map { $0.min() }
  /// ```
  public static func combineLatest(_ signals: [Signal]) -> Signal<[Value]> {
    Signal<[Value]>(home: signals.lazy.compactMap(\.home).first) { sink in
      guard !signals.isEmpty else { return }
      let run = try JoinedRun()
      let slots = signals.map { _ in JoinedSlot<Value>() }
      for (signal, slot) in Swift.zip(signals, slots) { run.start(signal, into: slot) }
      try await run.pumpLatest { try await sink(slots.map(\.value)) }
    }
  }

  /// The same for signals of different types: sends a tuple of their latest values.
  ///
  /// ```
  /// a                     1---2-----3-|
  /// b                     --x-----y---|
  /// combineLatest(a, b)   --(1,x)-(2,x)-(2,y)-(3,y)|
  /// ```
  ///
  /// Where two of them come from one source, each of its values sends two tuples, of which the first
  /// holds a value of before.
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
      let run = try JoinedRun()
      let slots = (repeat JoinedSlot<each Input>())
      repeat run.start(each inputs, into: each slots)
      guard run.count > 0 else { return }
      try await run.pumpLatest { try await sink((repeat (each slots).value)) }
    }
  }
}

extension JoinedRun {
  /// Calls `send` whenever the latest values are complete, until all signals have completed.
  fileprivate func pumpLatest(_ send: () async throws -> Void) async throws {
    var order = LatestOrder(count: count)
    try await pump { index, event, taken in
      switch event {
      case .value(let store):
        store()
        if order.arrived(index) { try await send() }
        taken.succeed(())
        return true
      case .ended(let result):
        taken.succeed(())
        try result.get()
        return !order.completed()
      }
    }
  }
}

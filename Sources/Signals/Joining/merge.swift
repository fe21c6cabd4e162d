// Values of several signals as one stream.

extension Signal {
  /// Runs the signals side by side and sends their values as they come.
  ///
  /// ```
  /// a             1---2-----3-|
  /// b             --x-----y---|
  /// merge(a, b)   1-x-2---y-3-|
  /// ```
  ///
  /// It completes when all have completed; the first failure cancels the others, waits for their
  /// clean-up, and ends all. They are started in order, and each waits while the consumer deals with
  /// its value: nothing is buffered.
  ///
  /// ```swift
  /// Signal.merge(temperature.map { "\($0) °C" }, humidity.map { "\($0) %" })
  /// ```
  public static func merge(_ signals: Signal...) -> Signal { merge(signals) }

  /// The same, for signals in an array. It completes at once when that is empty.
  ///
  /// ```
  /// a               1---2-----3-|
  /// b               --x-----y---|
  /// merge([a, b])   1-x-2---y-3-|
  /// merge([])       |
  /// ```
  ///
  /// ```swift
  /// Signal.merge(sensors.map { $0.notifications(temperature) })
  /// ```
  public static func merge(_ signals: [Signal]) -> Signal {
    Signal(home: signals.lazy.compactMap(\.home).first) { sink in
      guard !signals.isEmpty else { return }
      let run = try JoinedRun()
      let slots = signals.map { _ in JoinedSlot<Value>() }
      for (signal, slot) in Swift.zip(signals, slots) { run.start(signal, into: slot) }
      var running = run.count
      try await run.pump { index, event, taken in
        switch event {
        case .value(let store):
          store()
          try await sink(slots[index].value)
          taken.succeed(())
        case .ended(let result):
          taken.succeed(())
          try result.get()
          running -= 1
        }
        return running > 0
      }
    }
  }
}

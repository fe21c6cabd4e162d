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
      try await Branches().pump(signals, sink)
    }
  }
}

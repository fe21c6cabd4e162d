// Values of several signals as one stream.

extension Signal {
  /// Runs the signals concurrently and sends their values in order of arrival.
  ///
  /// ```
  /// a             1---2-----3-|
  /// b             --x-----y---|
  /// merge(a, b)   1-x-2---y-3-|
  /// ```
  ///
  /// It completes when all have completed; the first failure cancels the others, waits for their
  /// clean-up, and fails the result. The signals are started in order, and each waits while the
  /// consumer handles its value: nothing is buffered.
  ///
  /// ```swift
  /// Signal.merge(temperature.map { "\($0) °C" }, humidity.map { "\($0) %" })
  /// ```
  public static func merge(_ signals: Signal...) -> Signal { merge(signals) }

  /// Runs the signals of an array concurrently and sends their values in order of arrival.
  /// Completes at once if the array is empty.
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

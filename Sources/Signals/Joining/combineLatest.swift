// The latest values of several signals, together.

extension Signal {
  /// Runs the signals side by side and sends their latest values, in the order of the signals.
  ///
  /// The first time once each has sent one, then whenever one sends another. It completes when all
  /// have completed; the first failure cancels the others, waits for their clean-up, and ends all.
  public static func combineLatest(_ signals: [Signal]) -> Signal<[Value]> {
    Signal<[Value]>(home: signals.lazy.compactMap(\.home).first) { sink in
      guard !signals.isEmpty else { return }
      let numbered = signals.enumerated().map { index, signal in signal.map { (index, $0) } }
      var latest = [Value?](repeating: nil, count: signals.count)
      try await Signal<Signal<(Int, Value)>>.values(numbered)
        .flattenMap(.merge(limit: signals.count)) { $0 }
        .run { index, value in
          latest[index] = value
          let values = latest.compactMap { $0 }
          if values.count == signals.count { try await sink(values) }
        }
    }
  }
}

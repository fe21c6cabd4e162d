// Values in time windows of a fixed length.

/// Assigns values to windows. It holds the open window and the ended ones that wait for the
/// consumer.
struct TimeWindows<Value: Sendable>: SignalOperator {
  let period: Duration
  let sendsEmpty: Bool
  let bufferLimit: Int
  /// The end of the open window.
  private var windowEnd = Instant.start
  private var open: [Value] = []
  private var ready: [[Value]] = []
  /// The number of values in all windows; an empty window counts as one.
  private var held = 0

  init(_ period: Duration, sendsEmpty: Bool, bufferLimit: Int) {
    self.period = period
    self.sendsEmpty = sendsEmpty
    self.bufferLimit = bufferLimit
  }

  mutating func begin(at now: Instant) { windowEnd = now + period }

  mutating func receive(_ value: Value, at now: Instant) throws {
    try closeWindows(endedBy: now)
    try countValue()
    open.append(value)
  }

  var wakeUp: Instant? { open.isEmpty && !sendsEmpty ? nil : windowEnd }

  mutating func wake(at now: Instant) throws { try closeWindows(endedBy: now) }

  mutating func end(at now: Instant) {
    if !open.isEmpty { ready.append(open) }
    open = []
  }

  mutating func next() -> [Value]? {
    guard !ready.isEmpty else { return nil }
    let window = ready.removeFirst()
    held -= max(window.count, 1)
    return window
  }

  private mutating func closeWindows(endedBy now: Instant) throws {
    guard windowEnd <= now else { return }
    if !open.isEmpty {
      ready.append(open)
      open = []
    } else if sendsEmpty {
      try countValue()
      ready.append([])
    }
    windowEnd = windowEnd + period
    guard windowEnd <= now else { return }
    // No value has arrived since: all further windows that have ended are empty.
    let over = Int((now - windowEnd) / period) + 1
    windowEnd = windowEnd + period * over
    guard sendsEmpty else { return }
    for _ in 0..<over {
      try countValue()
      ready.append([])
    }
  }

  private mutating func countValue() throws {
    guard held < bufferLimit else { throw BufferOverflow(bound: bufferLimit) }
    held += 1
  }
}

extension Signal {
  /// Sends the values of each `period` as one array.
  ///
  /// ```
  /// source                     -a-b-----------c-|
  /// bufferWithTime(4)          ----[ab]---------[c]|
  /// emptyWindows: true         ----[ab]-[]--[]--[c]|
  /// ```
  ///
  /// The windows begin at multiples of `period` since the start, so they do not drift, and their
  /// counts are rates. A value that arrives exactly at the end of a window belongs to the next one.
  /// When the source completes or fails, the open window is sent first, if it has values. The
  /// source is never slowed and no value is dropped: windows wait for a busy consumer.
  ///
  /// ```swift
  /// notifications.bufferWithTime(.seconds(1), emptyWindows: true)
  ///   .map { "\($0.count) a second" }
  /// ```
  ///
  /// ReactiveCocoa starts a window with its first value, never sends an empty one, and drops its
  /// values on failure.
  ///
  /// - Parameters:
  ///   - period: Above zero.
  ///   - emptyWindows: Whether a window without a value is sent, as an empty array.
  ///   - bufferLimit: The maximum number of values in all waiting windows, where an empty window
  ///     counts as one; with one more it fails with ``BufferOverflow``.
  public func bufferWithTime(
    _ period: Duration, emptyWindows: Bool = false, bufferLimit: Int = 65_536
  ) -> Signal<[Value]> {
    precondition(period > .zero, "a period must be above zero")
    precondition(bufferLimit > 0, "a buffer must hold at least one value")
    return through(TimeWindows(period, sendsEmpty: emptyWindows, bufferLimit: bufferLimit))
  }
}

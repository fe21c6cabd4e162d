// Values in windows of fixed length.

/// Decides which window a value belongs to. It holds the open window and those that wait.
struct TimeWindows<Value: Sendable>: SignalOperator {
  let period: Duration
  let sendsEmpty: Bool
  let bufferLimit: Int
  /// When the open window ends.
  private var windowEnd = Instant.start
  private var open: [Value] = []
  private var ready: [[Value]] = []
  /// What all windows hold: their values, and one for each empty window.
  private var held = 0

  init(_ period: Duration, sendsEmpty: Bool, bufferLimit: Int) {
    self.period = period
    self.sendsEmpty = sendsEmpty
    self.bufferLimit = bufferLimit
  }

  mutating func begin(at now: Instant) { windowEnd = now + period }

  mutating func receive(_ value: Value, at now: Instant) throws {
    try closeWindows(endedBy: now)
    try hold()
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
      try hold()
      ready.append([])
    }
    windowEnd = windowEnd + period
    guard windowEnd <= now else { return }
    // Nothing came since: what is over of the grid is empty.
    let over = Int((now - windowEnd) / period) + 1
    windowEnd = windowEnd + period * over
    guard sendsEmpty else { return }
    for _ in 0..<over {
      try hold()
      ready.append([])
    }
  }

  private mutating func hold() throws {
    guard held < bufferLimit else { throw BufferOverflow(bound: bufferLimit) }
    held += 1
  }
}

extension Signal {
  /// Sends the values that came in each `period`, as one array.
  ///
  /// ```
  /// source                     -a-b-----------c-|
  /// bufferWithTime(4)          ----[ab]---------[c]|
  /// emptyWindows: true         ----[ab]-[]--[]--[c]|
  /// ```
  ///
  /// The windows lie on a grid from the start on, so that they do not drift and a rate can be
  /// computed from them. A value that comes at the very end of a window belongs to the next one.
  /// When the source completes or fails, the window that is open is sent first, if it holds values.
  /// The source is never slowed, and no value is dropped: windows wait for a consumer that is busy.
  ///
  /// ```swift
  /// notifications.bufferWithTime(.seconds(1), emptyWindows: true)
  ///   .map { "\($0.count) a second" }
  /// ```
  ///
  /// ReactiveCocoa starts a window with its first value, never sends an empty one and drops what it
  /// holds on failure.
  ///
  /// - Parameters:
  ///   - period: Above zero.
  ///   - emptyWindows: Whether a window without a value is sent, as an empty array.
  ///   - bufferLimit: How many values all windows may hold that were not taken yet, where an empty
  ///     window counts as one; one more fails with ``BufferOverflow``.
  public func bufferWithTime(
    _ period: Duration, emptyWindows: Bool = false, bufferLimit: Int = 65_536
  ) -> Signal<[Value]> {
    precondition(period > .zero, "a period must be above zero")
    precondition(bufferLimit > 0, "a buffer must hold at least one value")
    return through(TimeWindows(period, sendsEmpty: emptyWindows, bufferLimit: bufferLimit))
  }
}

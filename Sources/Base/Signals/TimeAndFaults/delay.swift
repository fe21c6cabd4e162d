// Delays values.

extension Signal {
  /// Sends each value, and the completion, `duration` later; a failure is not delayed.
  ///
  /// ```
  /// source     1-2-------|
  /// delay(4)   ----1-2-------|
  /// ```
  ///
  /// The intervals between values are kept, and the source is not slowed. A failure is sent after
  /// the delayed values.
  ///
  /// ```swift
  /// Signal.just(()).delay(.seconds(1)).then { thermometer.read(.batteryLevel) }
  /// ```
  ///
  /// - Parameters:
  ///   - duration: The delay of each value.
  ///   - bufferLimit: The maximum number of delayed values; with one more it fails with
  ///     ``BufferOverflow``.
  public func delay(_ duration: Duration, bufferLimit: Int = 65_536) -> Signal {
    Signal(home: home) { [self] sink in
      let branches = try Branches<Never>()
      let loop = branches.loop
      let mailbox = Mailbox<(due: Instant, value: Value?)>(bound: bufferLimit)
      branches.start { _ in
        let result = await ending {
          try await run { mailbox.send((loop.now + duration, $0)) }
          mailbox.send((loop.now + duration, nil))
        }
        mailbox.finish(result)
        try result.get()
      }
      try await branches.endingAll {
        while let (due, value) = try await branches.explained({ try await mailbox.next(on: loop) })
        {
          if due > loop.now { try await loop.sleep(for: due - loop.now) }
          if let value { try await sink(value) }
        }
      }
    }
  }
}

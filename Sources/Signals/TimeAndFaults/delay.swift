// Values later.

extension Signal {
  /// Sends each value, and the completion, `duration` later; a failure at once.
  ///
  /// The spacing of the values is kept.
  ///
  /// - Parameter bufferLimit: How many values may be under way before it fails with
  ///   ``BufferOverflow``.
  public func delay(_ duration: Duration, bufferLimit: Int = 65_536) -> Signal {
    Signal(home: home) { [self] sink in
      let loop = try Carried.requireLoop()
      let mailbox = Mailbox<(due: Instant, value: Value?)>(bound: bufferLimit)
      let producer = Task(executorPreference: loop) { [self] in
        let result = await ending {
          try await run { mailbox.send((loop.now + duration, $0)) }
          mailbox.send((loop.now + duration, nil))
        }
        mailbox.finish(result)
      }
      do {
        while let (due, value) = try await mailbox.next(on: loop) {
          if due > loop.now { try await loop.sleep(for: due - loop.now) }
          if let value { try await sink(value) }
        }
      } catch {
        producer.cancel()
        await producer.value
        throw error
      }
      await producer.value
    }
  }
}

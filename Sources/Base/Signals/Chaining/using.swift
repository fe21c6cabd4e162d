// Acquires a resource, uses it, and releases it however the use ends.

extension Signal {
  /// Acquires a resource, uses it, and releases it however the use ends.
  ///
  /// ```
  /// acquire   --r|
  /// use         1-2-3|     1-X      1-2-cancelled
  /// release          r         r        r
  /// using     --1-2-3-r|   1-rX     1-2-r cancelled
  /// ```
  ///
  /// The release is shielded: neither cancellation nor the deadline of the caller cuts it short. It
  /// runs after completion, failure, timeout and cancellation; a consumer that stops early
  /// continues after it. It does not run if `acquire` failed.
  ///
  /// ```swift
  /// Signal.using(
  ///   acquire: thermometer.write([1], to: power, kind: .request).map { power },
  ///   release: { power in thermometer.write([0], to: power, kind: .request) }
  /// ) { _ in
  ///   thermometer.notifications(temperature).take(3)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - acquire: Sends the resource as its first value.
  ///   - release: Releases the resource.
  ///   - releaseLimit: The time limit of the release.
  ///   - use: The work with the resource.
  /// - Returns: The values of `use`. Fails with the first cause; with ``FailedWithCleanUp`` when
  ///   the release failed.
  public static func using<Resource: Sendable>(
    acquire: Signal<Resource>, release: @escaping @Sendable (Resource) -> Signal<Void>,
    releaseLimit: Duration = .seconds(10), _ use: @escaping @Sendable (Resource) throws -> Signal
  ) -> Signal {
    Signal(home: acquire.home) { sink in
      let loop = try Loop.current
      var acquired: Resource?
      try await acquire.take(1).run { acquired = $0 }
      guard let resource = acquired else { throw NoValue(operation: "acquiring a resource") }
      try await bracketed(on: loop, limit: releaseLimit, what: "a resource") {
        try await use(resource).run(sink)
      } cleanUp: {
        try await release(resource).run { _ in }
      }
    }
  }
}

/// Runs `body`, then the shielded `cleanUp`, however `body` ended.
func bracketed(
  on loop: Loop, limit: Duration, what: String, _ body: () async throws -> Void,
  cleanUp: @escaping @Sendable () async throws -> Void
) async throws {
  var cause: (any Error)?
  do {
    try await body()
  } catch {
    cause = error
  }
  if cause.map({ !Stopped.isThrown($0) }) ?? true { TaskContext.note(cause) }
  do {
    try await shielded(on: loop, limit: limit, cleanUp)
  } catch {
    // A consumer that stopped early is not a failure: only the clean-up failed.
    let failed = cause is Stopped ? nil : cause
    throw FailedWithCleanUp(cause: failed, cleanUp: [CleanUpFailure(what: what, error: error)])
  }
  if let cause { throw cause }
}

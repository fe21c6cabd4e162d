// A connection for the time of a closure: async code with a turn of its own.

package import Signals

extension Device {
  /// Connects, runs `body` with the connection, and disconnects, however `body` ended.
  ///
  /// ```swift
  /// let celsius = try await thermometer.withConnection(within: .seconds(30)) {
  ///   connection -> [Double] in
  ///   let battery = try await connection.read(.batteryLevel)
  ///   guard battery > 10 else { return [] }
  ///   var celsius: [Double] = []
  ///   for try await measured in connection.notifications(.temperatureMeasurement).prefix(3) {
  ///     celsius.append(measured.celsius)
  ///   }
  ///   return celsius
  /// }
  /// ```
  ///
  /// All of it is one turn of the device's scheduler: no other chain comes in between, and the next
  /// one begins when this connection is down. When it returns or throws, the subscriptions have ended
  /// (StopNotify) and the device is disconnected, both awaited: also after a failure, at the
  /// deadline, and when the calling task is cancelled. Work that `body` began in other tasks
  /// ends with it. A connection that existed before is used and left up.
  ///
  /// `body` may use variables of the caller, and runs where the caller does: on its actor, or on the
  /// scheduler's loop where the caller has no actor. There it must not block the thread.
  ///
  /// Several devices at a time need a scheduler each:
  ///
  /// ```swift
  /// try await withThrowingTaskGroup(of: Int.self) { group in
  ///   for device in devices {
  ///     group.addTask {
  ///       try await device.withConnection(within: .seconds(30)) { try await $0.read(.batteryLevel) }
  ///     }
  ///   }
  ///   for try await level in group { print(level) }
  /// }
  /// ```
  ///
  /// Devices with one scheduler wait for each other there. Inside `body`, `withConnection` of another
  /// device with the same scheduler belongs to the same turn: both are connected, and the inner one is
  /// disconnected first. With another scheduler it fails at once.
  ///
  /// - Parameters:
  ///   - limit: How long the wait for the turn, connecting and `body` may take together. At the
  ///     deadline the task of `body` is cancelled. Disconnecting comes on top, within the
  ///     scheduler's `cleanUpLimit`.
  ///   - services: Services without which the connection fails permanently.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  ///   - isolation: The caller's actor.
  ///   - body: The work with the connection, which is valid until it returns.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`; those of ``DeviceOperations/connect(keep:expecting:)``;
  ///   `TimedOut`; `CancellationError` when the task was cancelled; `FailedWithCleanUp` when the
  ///   device could not be disconnected or a subscription not be ended; at once `OtherScheduler`
  ///   inside a turn of another scheduler, and `LoopNotDriven` for a simulated world in virtual
  ///   time, unless it is called inside `world.loop.run { … }`.
  public func withConnection<R: Sendable>(
    within limit: Duration, expecting services: [ServiceSelector] = [],
    file: StaticString = #fileID, line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ body: (DeviceConnection) async throws -> R
  ) async throws -> R {
    try await withConnection(
      within: limit, connecting: connect(keep: false, expecting: services), file: file, line: line,
      isolation: isolation, body
    )
  }

  /// Runs `body` with a connect that the caller provides: one with its own limit, or one that
  /// leaves the connection up.
  ///
  /// - Parameter limit: The limit, as in the other `withConnection`; nil if only the deadlines of
  ///   the caller apply.
  package func withConnection<R: Sendable>(
    within limit: Duration?, connecting: Signal<LinkOrigin>, file: StaticString = #fileID,
    line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ body: (DeviceConnection) async throws -> R
  ) async throws -> R {
    try await withoutActuallyEscaping(body) { body in
      // Captured so that this closure runs on the actor of the caller, to which `body` belongs.
      _ = isolation
      let lent = BorrowedClosure<DeviceConnection, R>(body)
      defer { lent.invalidate() }
      let isInside = Turn.current != nil
      let label = "withConnection of \(deviceDescription) at \(file):\(line)"
      return try await scheduler.turn(named: label, within: limit) {
        try await connected(connecting, isInside: isInside, lent)
      }
    }
  }

  /// Connects, does the work, and ends what was begun over the connection.
  ///
  /// - Parameter isInside: Whether the turn continues afterwards: then the connection ends here,
  ///   otherwise with the turn.
  private func connected<R: Sendable>(
    _ connecting: Signal<LinkOrigin>, isInside: Bool, _ work: BorrowedClosure<DeviceConnection, R>
  ) async throws -> R {
    let origin = try await connecting.first()
    return try await TurnScope.whileOpen { scope in
      try await work.call(DeviceConnection(to: self, origin: origin, in: scope))
    } cleanUp: {
      guard isInside else { return [] }
      do {
        try await shielded(on: scheduler.loop, limit: scheduler.cleanUpLimit) {
          try await endUse().run { _ in }
        }
        return []
      } catch {
        return [CleanUpFailure(what: "the connection to \(deviceDescription)", error: error)]
      }
    }
  }
}

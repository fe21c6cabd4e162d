// Runs each kind of operation.

import Bluetooth
import Jobs
import Signals

extension TestRun {
  /// Runs an operation within its timeout, and judges its result.
  func verdict(of placed: PlacedOperation) async -> Verdict {
    let findings = Findings()
    var thrown: (any Error)?
    do {
      try await act(placed, findings)
    } catch {
      thrown = error
    }
    var verdict = Verdict(
      placed.operation,
      findings.outcome,
      thrown,
      notes: findings.notes,
      warnsOfUnsupported: runner.settings.warnsOfUnsupported
    )
    if Task.isCancelled {
      let cause = Turn.current?.cancellationCause ?? thrown ?? CancellationError()
      verdict.status = .cancelled
      verdict.failure = RunFailure(cause)
      verdict.error = cause
    }
    return verdict
  }

  private func act(_ placed: PlacedOperation, _ findings: Findings) async throws {
    let operation = placed.operation
    switch operation.action {
    case .scan(let filter): return try await scan(filter, placed, findings)
    case .scanFor(let filter, let bind):
      return try await scanFor(filter, bind: bind, placed, findings)
    case .sleep: return try await loop.sleep(for: operation.timeout ?? runner.settings.timeout)
    case .unsupported(let unsupported):
      throw DeviceFailure(
        code: .notSupportedHere,
        class: .definite,
        operation: operation.doing,
        meaning: "this is not supported here: \(unsupported.reason)",
        hint: Hint(unsupported.hint)
      )
    case .connect, .discoverServices, .refresh, .disconnect, .bond, .unbond, .assertService, .read,
      .write, .beginReliableWrite, .executeReliableWrite, .abortReliableWrite, .awaitNotification,
      .readRSSI, .requestMTU, .sleepWhile:
      break
    }
    let link = try link(placed)
    let limit = limit(of: operation)
    let work = Signal<Void> { [self] sink in
      try await act(placed, on: link, findings)
      try await sink(())
    }
    do {
      try await work.timeout(limit, operation.doing).run { _ in }
    } catch {
      guard !Task.isCancelled else { throw error }
      throw named(error, placed, link, limit)
    }
  }

  /// Runs an operation on a device.
  private func act(
    _ placed: PlacedOperation,
    on link: TargetLink,
    _ findings: Findings
  ) async throws {
    let service = link.service
    switch placed.operation.action {
    case .connect:
      link.ask()
      try await connect(link, findings)
    case .discoverServices:
      let names = runner.suite.names
      try await service.services().run { findings.outcome = .services($0, names: names) }
    case .refresh:
      guard link.isAsked else { throw Self.unconnected(placed, link) }
      link.forget()
      findings.note("bluetoothd updates its cache of services by itself when it connects")
    case .disconnect:
      try await service.disconnect().run { _ in }
      await link.unlinked()
    case .bond:
      // Pairing connects when there is no connection.
      link.ask()
      try await bond(placed, link, findings)
    case .unbond:
      try await service.unpair().run { _ in }
      await link.unlinked()
    case .assertService(let assertion):
      let missing = try await Self.complaint(about: assertion, on: link, placed, findings)
      if let missing { throw AssertionFailure(description: missing) }
    case .read(let path, let assertion):
      try await read(path, assertion, link, placed, findings)
    case .write(let path, let value, let isCommand):
      try await write(value, to: path, isCommand: isCommand, link, placed, findings)
    case .beginReliableWrite: try beginReliable(link, placed)
    case .executeReliableWrite: try await executeReliable(link, placed, findings)
    case .abortReliableWrite: try abortReliable(link, placed)
    case .awaitNotification(let path, let trigger, let assertion):
      try await awaitNotification(path, trigger, assertion, link, placed, findings)
    case .readRSSI(let assertion): try await readRSSI(assertion, link, findings)
    case .requestMTU(let wanted): try await requestMTU(wanted, link, findings)
    case .sleepWhile(let path, let value, let isEqual):
      try await sleepWhile(path, isEqual: isEqual, to: value, link)
    case .scan, .scanFor, .sleep, .unsupported: break
    }
  }

  // MARK: Time

  private func limit(of operation: Operation) -> Duration {
    let usual = runner.settings.timeout
    switch operation.action {
    case .sleepWhile:
      let own = operation.timeout ?? .zero
      return own == .zero ? runner.settings.endless : own
    case .awaitNotification:
      // Zero stands for the waits of a macro, which have no timeout.
      return operation.timeout == .zero ? runner.settings.endless : operation.timeout ?? usual
    case .scan, .scanFor, .sleep, .unsupported, .connect, .discoverServices, .refresh, .disconnect,
      .bond, .unbond, .assertService, .read,
      .write, .beginReliableWrite, .executeReliableWrite, .abortReliableWrite,
      .readRSSI, .requestMTU:
      return operation.timeout ?? usual
    }
  }

  /// A timeout as a failure of the operation; any other error unchanged.
  private func named(
    _ error: any Error,
    _ placed: PlacedOperation,
    _ link: TargetLink,
    _ limit: Duration
  ) -> any Error {
    if let failed = error as? FailedWithCleanUp, let cause = failed.cause {
      return FailedWithCleanUp(cause: named(cause, placed, link, limit), cleanUp: failed.cleanUp)
    }
    if let failure = error as? DeviceFailure, failure.isOfLink, !link.isAsked {
      return Self.unconnected(placed, link)
    }
    guard let timedOut = error as? TimedOut else { return error }
    var hint: Hint = "bring the device closer, or give the operation a longer timeout"
    if let path = placed.operation.listened, !link.isSubscribed(path) {
      hint = "there is no subscription: write 0100 to the descriptor 2902 of \(path) first"
    }
    return DeviceFailure(
      code: .timedOut,
      class: .passing,
      operation: placed.operation.doing,
      device: link.service.deviceDescription,
      timedOut: timedOut,
      meaning: "it did not end within \(limit.written)",
      hint: hint
    )
  }

  // MARK: The link

  /// The test uses a device that it has not connected: the same in every run.
  static func unconnected(_ placed: PlacedOperation, _ link: TargetLink) -> DeviceFailure {
    DeviceFailure(
      code: .notConnected,
      class: .definite,
      operation: placed.operation.doing,
      device: link.service.deviceDescription,
      meaning: "the test has not connected the device, or has disconnected it",
      hint: "write <connect/> before this operation"
    )
  }

  private func connect(_ link: TargetLink, _ findings: Findings) async throws {
    let connecting = link.service.connect(keep: false, expecting: []).map { origin in
      if origin != .found { link.linked() }
      return origin
    }
    while true {
      do {
        return try await connecting.run { findings.outcome = .linked($0) }
      } catch let failure as DeviceFailure where failure.code == .busy {
        var hasWaited = false
        try await link.service.awaitOtherRuns().run { hasWaited = $0 }
        guard hasWaited else { throw failure }
      }
    }
  }

  private func bond(
    _ placed: PlacedOperation,
    _ link: TargetLink,
    _ findings: Findings
  ) async throws {
    let answers = PairingAnswers(ask: runner.ask) { [self] display in
      emit(.pairingDisplay(placed.step, display))
    }
    try await link.service.pair(answers).run { findings.outcome = .paired($0) }
    link.linked()
  }

  private func readRSSI(
    _ assertion: StrengthAssertion?,
    _ link: TargetLink,
    _ findings: Findings
  ) async throws {
    var strength: Int?
    try await link.service.rssi().run { strength = $0.rssi }
    guard let strength else { throw NoValue(operation: "read-rssi") }
    findings.outcome = .value(StepValue(octets: [], decoded: .integer(Int128(strength))))
    guard let assertion else { return }
    try findings.judge(assertion.title, assertion.complaint(about: strength), assertion.expected)
  }

  /// Checks the MTU, which bluetoothd negotiates when it connects: the largest that both sides
  /// support.
  private func requestMTU(
    _ wanted: Int,
    _ link: TargetLink,
    _ findings: Findings
  ) async throws {
    var found: Int?
    try await link.service.mtu().run { found = $0 }
    guard let found else { throw NoValue(operation: "request-mtu") }
    findings.outcome = .mtu(found)
    guard found < wanted else { return }
    findings.note(
      "the MTU is \(found) bytes, not \(wanted): bluetoothd negotiates it by itself, and has no "
        + "call to request another"
    )
  }
}

extension DeviceFailure {
  /// Whether it is what an operation without a connection gets.
  fileprivate var isOfLink: Bool { code == .notConnected || code == .notFound }
}

extension Operation {
  /// The characteristic whose notifications it waits for; nil for other operations.
  var listened: AttributePath? {
    switch action {
    case .awaitNotification(let path, _, _), .sleepWhile(let path, _, _): path
    case .scan, .scanFor, .sleep, .unsupported, .connect, .discoverServices, .refresh, .disconnect,
      .bond, .unbond, .assertService, .read,
      .write, .beginReliableWrite, .executeReliableWrite, .abortReliableWrite,
      .readRSSI, .requestMTU:
      nil
    }
  }
}

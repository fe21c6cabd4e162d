// The performance of one operation.
//
// Operations on attributes, services and scans are in the OperationRun+ files.

import Bluetooth
import Documents
import Jobs
import RunEvents
import Signals

/// A run of one operation. Its outcome and its notes are kept even if it fails.
final class OperationRun: Sendable {
  let test: TestRun
  let operation: Operation
  /// The ordinal of the operation in its test, from 1.
  let number: Int
  /// The description of the operation in events.
  let step: ReportedStep
  private let state = Guarded<(outcome: StepOutcome?, notes: [String])>((nil, []))

  init(_ test: TestRun, _ operation: Operation, number: Int) {
    self.test = test
    self.operation = operation
    self.number = number
    let target = operation.target ?? test.test.target
    let isOnDevice = operation.needsDevice || operation.isScan
    step = ReportedStep(
      number: number, operation: operation.name, action: operation.doing,
      attribute: operation.path?.description,
      label: operation.title == operation.name ? nil : operation.title,
      target: isOnDevice
        ? target.map { ReportedStep.Target(id: $0, device: test.deviceName(of: $0)) } : nil,
      source: operation.place
    )
  }

  var loop: Loop { test.loop }
  private var settings: SuiteSettings { test.runner.settings }

  var outcome: StepOutcome? {
    get { state.withLock { $0.outcome } }
    set { state.withLock { $0.outcome = newValue } }
  }

  func note(_ text: String) { state.withLock { $0.notes.append(text) } }

  /// Judges one assertion by its expected result.
  ///
  /// - Parameter problem: The difference from the assertion; nil if it holds.
  /// - Throws: ``AssertionFailure`` if the result is unexpected, and that is a failure and not a warning.
  func judge(_ assertion: some Assertion, _ problem: String?) throws {
    guard (problem != nil) != assertion.expected.isFailure else { return }
    let why = "\(assertion.title): \(problem ?? "expected not to hold, but it holds")"
    guard assertion.expected.isLenient else { throw AssertionFailure(description: why) }
    note(why)
  }

  func failure(
    _ code: DeviceFailure.Code, class: FailureClass = .definite, on link: TargetLink? = nil,
    device: BluetoothAddress? = nil, attribute: AttributePath? = nil, timedOut: TimedOut? = nil,
    _ meaning: String, hint: String
  ) -> DeviceFailure {
    DeviceFailure(
      code: code, class: `class`, operation: operation.doing,
      device: link?.service.deviceDescription ?? device?.description,
      attribute: attribute?.description, timedOut: timedOut, meaning: meaning, hint: Hint(hint)
    )
  }

  /// Fails, because this host cannot perform the operation.
  func unsupported(
    on link: TargetLink? = nil, device: BluetoothAddress? = nil, _ reason: String, hint: String
  ) -> DeviceFailure {
    let meaning = "this is not supported here: \(reason)"
    return failure(.notSupportedHere, on: link, device: device, meaning, hint: hint)
  }

  // MARK: Running

  /// Runs the operation within its timeout, and judges its result.
  func verdict() async -> Verdict {
    var thrown: (any Error)?
    do {
      try await act()
    } catch {
      thrown = error
    }
    var verdict = Verdict(
      operation, thrown, notes: state.withLock { $0.notes },
      warnsOfUnsupported: settings.warnsOfUnsupported
    )
    if Task.isCancelled {
      let cause = Turn.current?.cancellationCause ?? thrown ?? CancellationError()
      verdict.status = .cancelled
      verdict.failure = RunFailure(cause, while: operation.doing)
      verdict.error = cause
    }
    return verdict
  }

  private func act() async throws {
    switch operation.action {
    case .scan(let filter): try await scan(filter)
    case .scanFor(let filter, let bind): try await scanFor(filter, bind: bind)
    case .sleep: try await loop.sleep(for: limit)
    case .unsupported(let unsupported):
      throw self.unsupported(unsupported.reason, hint: unsupported.hint)
    case .device(let action): try await limited { run, link in try await run.act(action, link) }
    case .attribute(let path, let action):
      try await limited { run, link in try await run.act(action, path, link) }
    }
  }

  /// Runs an operation on its device within its timeout.
  private func limited(
    _ act: @escaping @Sendable (OperationRun, TargetLink) async throws -> Void
  ) async throws {
    let link = try link()
    let work = Signal<Void> { [self] sink in
      try await act(self, link)
      try await sink(())
    }
    do {
      try await work.timeout(limit, operation.doing).run { _ in }
    } catch {
      guard !Task.isCancelled else { throw error }
      throw named(error, link)
    }
  }

  private func act(_ action: Operation.DeviceAction, _ link: TargetLink) async throws {
    let service = link.service
    switch action {
    case .connect:
      let expectsNewLink = !link.isConnectionRequested
      link.connectionRequested()
      try await connect(link, expectsNewLink: expectsNewLink)
    case .discoverServices:
      let names = test.runner.suite.names
      try await service.services().run { outcome = .services($0, names: names) }
    case .refresh:
      guard link.isConnectionRequested else { throw unconnected(link) }
      link.forget()
      note("bluetoothd updates its cache of services by itself when it connects")
    case .disconnect:
      try await service.disconnect().run { _ in }
      await link.unlinked()
    case .bond:
      // Pairing connects if there is no connection.
      link.connectionRequested()
      let answers = PairingAnswers(ask: test.runner.ask) { [test, step] display in
        test.emit(.remark(.pairingDisplay(step, display)))
      }
      try await service.pair(answers).run { outcome = .paired($0) }
      link.linked()
    case .unbond:
      try await service.unpair().run { _ in }
      await link.unlinked()
    case .assertService(let assertion): try await check(assertion, on: link)
    case .beginReliableWrite:
      guard link.reliable == nil else { throw misplaced("a reliable write is under way") }
      link.reliable = []
    case .executeReliableWrite: try await executeReliable(link)
    // Nothing has to be undone: its writes have not been sent.
    case .abortReliableWrite: _ = try endReliable(link)
    case .readRSSI(let assertion): try await readRSSI(assertion, link)
    case .requestMTU(let wanted): try await requestMTU(wanted, link)
    case .requestPriority(let priority): try await requestPriority(priority, link)
    case .readPHY(let assertion):
      let phy = try await measured(link.service.phy(), link)
      outcome = .value(StepValue(octets: [], decoded: .text("\(phy)")))
      if let assertion { try judge(assertion, assertion.problem(with: phy)) }
    case .changePHY(let wanted):
      let phy = try await measured(link.service.changePHY(to: wanted), link)
      outcome = .value(StepValue(octets: [], decoded: .text("\(phy)")))
    }
  }

  // MARK: Time

  /// The duration of a scan or sleep; the timeout of any other operation.
  var limit: Duration {
    if operation.hasNoTimeout { return settings.endless }
    if let own = operation.timeout { return own }
    if case .attribute(_, .sleepWhile) = operation.action { return settings.endless }
    return settings.timeout
  }

  /// Returns a timeout as a failure of the operation; any other error unchanged.
  private func named(_ error: any Error, _ link: TargetLink) -> any Error {
    if let failed = error as? FailedWithCleanUp, let cause = failed.cause {
      return FailedWithCleanUp(cause: named(cause, link), cleanUp: failed.cleanUp)
    }
    // The device is not connected because the test has not connected it.
    if let failure = error as? DeviceFailure, !link.isConnectionRequested,
      failure.code == .notConnected || failure.code == .notFound
    {
      return unconnected(link)
    }
    guard let timedOut = error as? TimedOut else { return error }
    var hint = "bring the device closer, or give the operation a longer timeout"
    if let path = operation.listened, !link.isSubscribed(path) {
      hint = "there is no subscription: write 0100 to the descriptor 2902 of \(path) first"
    }
    return failure(
      .timedOut, class: .passing, on: link, timedOut: timedOut,
      "it did not end within \(limit.written)", hint: hint
    )
  }

  // MARK: The link

  /// Returns the state of the operation's target.
  ///
  /// - Throws: ``DeviceFailure`` if the target is not bound, or there is no target.
  private func link() throws -> TargetLink {
    guard let target = step.target?.id else {
      throw unbound("neither the operation nor its test names a target")
    }
    guard let link = test.link(target) else {
      throw unbound("the target '\(target)' is not bound to a device")
    }
    return link
  }

  func unbound(_ meaning: String) -> DeviceFailure {
    let hint = "give the target an address, bind it with scan-for, or name a device with -d"
    return failure(.targetNotBound, meaning, hint: hint)
  }

  /// Returns the failure for a device that the test has not connected. It is not transient.
  private func unconnected(_ link: TargetLink) -> DeviceFailure {
    failure(
      .notConnected, on: link, "the test has not connected the device, or has disconnected it",
      hint: "write <connect/> before this operation"
    )
  }

  /// Connects, or joins the existing connection.
  ///
  /// - Parameter expectsNewLink: Whether the test itself has not connected the device before.
  private func connect(_ link: TargetLink, expectsNewLink: Bool) async throws {
    let connecting = link.service.connect(keep: false, expecting: []).map { origin in
      if origin != .found { link.linked() }
      return origin
    }
    while true {
      do {
        try await connecting.run { origin in
          outcome = .linked(origin)
          if origin == .found, expectsNewLink { note(Self.existingConnection) }
        }
        return
      } catch let failure as DeviceFailure where failure.code == .busy {
        guard try await link.service.awaitOtherRuns().first() else { throw failure }
      }
    }
  }

  /// The note of a connection that another program or account may have made.
  private static let existingConnection =
    "the device was connected before this test: settings and unlocking of that connection, "
    + "perhaps another program's, hold for this test, too"

  private func readRSSI(_ assertion: StrengthAssertion?, _ link: TargetLink) async throws {
    let strength = try await link.service.rssi().first().rssi
    outcome = .value(StepValue(octets: [], decoded: .integer(Int128(strength))))
    if let assertion { try judge(assertion, assertion.problem(with: strength)) }
  }

  /// Changes the connection parameters to those of a priority.
  private func requestPriority(_ priority: ConnectionPriority, _ link: TargetLink) async throws {
    let change = link.service.changeConnectionParameters(to: priority.parameters)
    outcome = .value(StepValue(octets: [], decoded: try await measured(change, link).decoded))
  }

  /// Returns the result of a query about the connection, or of a change of it, by the controller.
  ///
  /// A suite that was written for a phone does not know of capabilities and sockets: without them, or
  /// with a controller that lacks the command or the PHY, the operation is not supported here. A
  /// device that lacks it refuses.
  private func measured<Value>(_ query: Signal<Value>, _ link: TargetLink) async throws -> Value {
    do {
      return try await query.first()
    } catch let failure as DeviceFailure
      where [.capabilityMissing, .socketsMissing, .notSupported].contains(failure.code)
    {
      throw unsupported(on: link, failure.meaning, hint: failure.hint)
    }
  }

  /// Checks the MTU. bluetoothd itself negotiates it when it connects: the largest that both sides support.
  private func requestMTU(_ wanted: Int, _ link: TargetLink) async throws {
    let found = try await link.service.mtu().first()
    outcome = .mtu(found)
    guard found < wanted else { return }
    note(
      "the MTU is \(found) bytes, not \(wanted): bluetoothd negotiates it by itself, and has no "
        + "call to request another"
    )
  }
}

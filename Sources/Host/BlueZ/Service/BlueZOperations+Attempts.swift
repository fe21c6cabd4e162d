// The attempts of one connect: what happens between them.
//
// ConnectAttempts decides which failure is worth another attempt.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  /// Connects, repeating attempts with a transient failure, within the deadline.
  func connect(
    in turn: Turn, keep: Bool, expecting: [ServiceSelector], _ attempts: inout ConnectAttempts
  ) async throws -> LinkOrigin {
    try await client.synchronize()
    var last: (any Error)?
    while true {
      var found: ObjectPath?
      do {
        let device = try await findDevice()
        try reserve(device, in: turn)
        found = device
        attempts.begin()
        notify(.connecting(attempt: attempts.made, of: attempts.most))
        let origin = try await connect(to: device, in: turn, keep: keep, expecting: expecting)
        state.withLock { $0.failed = nil }
        return origin
      } catch {
        if isReservedByOthers { throw error }
        report(error)
        if let found { state.withLock { $0.failed = found } }
        // At a deadline during a further attempt, the failure of the previous one says more.
        if Task.isCancelled, error is TimedOut, let last { throw last }
        guard !Task.isCancelled, let device = found else { throw error }
        let failing = ConnectAttempts.Failing(error, isAdapterOff: isAdapterOff(of: device))
        let decision = attempts.decide(failing, owner: owner(of: device))
        guard case .retry(let preparation, let wait) = decision, hasTime(for: wait) else {
          throw error
        }
        notify(.trying(again: attempts.made + 1, of: attempts.most, meaning(of: error)))
        do {
          try await prepare(preparation, device, wait)
        } catch is TimedOut {
          // The wait for the preparation has timed out: the failure of the attempt is the result.
          throw error
        }
        last = error
      }
    }
  }

  /// Reports a failed attempt; one that its caller ended has not failed.
  private func report(_ error: any Error) {
    let code =
      error is TimedOut
      ? .timedOut : (failure(error, .connect, "connecting") as? DeviceFailure)?.code
    guard let code else { return }
    let adapter = state.withLock { $0.adapter }?.lastElement
    client.report(LinkNews(adapter: adapter, .failed(code)))
  }

  /// Whether the deadline leaves time for another attempt after a wait.
  func hasTime(for wait: Duration) -> Bool {
    Deadline.current.map { loop.now + wait < $0 } ?? true
  }

  private func isAdapterOff(of device: ObjectPath) -> Bool {
    client.withTree { tree in device.parent.flatMap { tree.adapter(at: $0) }?.isPowered == false }
  }

  /// The program that made the attempt that bluetoothd reports as in progress.
  private func owner(of device: ObjectPath) -> ConnectAttempts.Owner {
    if link(to: device).isConnectPending { return .us }
    let address = client.withTree { $0.advertisement(of: device)?.address }
    return address.map { client.ledger?.isStale($0) ?? false } ?? false ? .deadProgram : .another
  }

  private func meaning(of error: any Error) -> String {
    (failure(error, .connect, "connecting") as? DeviceFailure)?.meaning ?? "\(error)"
  }

  // MARK: Between two attempts

  private func prepare(
    _ preparation: ConnectAttempts.Preparation, _ device: ObjectPath, _ wait: Duration
  ) async throws {
    switch preparation {
    case .nothing: break
    case .awaitDown: try await awaitDisconnected(device)
    case .awaitOther:
      do {
        return try await client.until("another program's attempt", limit: wait) { tree in
          tree.isConnected(device) ? () : nil
        }
      } catch is TimedOut where !Task.isCancelled {
        return
      }
    case .endOther:
      notify(owner(of: device) == .deadProgram ? .endingStale : .takingOver)
      do {
        try await endAttempt(to: device)
      } catch is DBusError {
        // There was nothing to end.
      }
    case .findAgain: state.withLock { $0.device = nil }
    case .awaitPower: _ = try await readyAdapter()
    }
    if wait > .zero { try await loop.sleep(for: wait) }
  }

  /// Ends an attempt to connect of another program, which may be gone, and the connection if one was
  /// made meanwhile.
  ///
  /// bluetoothd continues the attempt of a program that has left the bus.
  ///
  /// - Source: BlueZ 5.66, `src/device.c` (device_request_disconnect): cancels a pending connect and
  ///   replies at once where there is no connection.
  private func endAttempt(to device: ObjectPath) async throws {
    let call = link(to: device).disconnectCall
    _ = try await client.bus.call(call, limit: client.limits.disconnect, lateReply: nil)
    try await awaitDisconnected(device)
  }

  /// Ends the attempt of a program that is gone.
  ///
  /// Returns once bluetoothd has answered; also when there was no attempt any more.
  func endAbandonedAttempt() async throws {
    try await explaining(.disconnect, "ending an attempt to connect") {
      guard let device = knownDevice(on: try usableAdapter().path) else { return }
      do {
        try await endAttempt(to: device)
      } catch let error as DBusError
        where [.notConnected, .unknownObject, .daemonMissing].contains(error.refusal)
      {
        // There was nothing to end.
      }
    }
  }

  /// Waits until a device is disconnected.
  private func awaitDisconnected(_ device: ObjectPath) async throws {
    do {
      try await client.until("the end of the last link", limit: client.limits.settle) { tree in
        tree.isConnected(device) ? nil : ()
      }
    } catch is TimedOut where !Task.isCancelled {
      // It is up: the next attempt uses it.
    }
  }

  // MARK: The adapter

  /// The adapter to use, once it is on: waits for one that is powering on, and with
  /// ``ConnectOptions/adapterWait`` for any that is off or missing.
  func readyAdapter() async throws -> AdapterFacts {
    let ready = try await awaitedAdapter()
    state.withLock { $0.adapter = ready.path }
    return ready
  }

  private func awaitedAdapter() async throws -> AdapterFacts {
    let wanted = adapter
    let wait: Duration
    do {
      return try client.withTree { try $0.usableAdapter(wanted) }
    } catch let problem as AdapterProblem {
      guard let limit = limit(on: problem) else { throw Cause.adapter(problem, wanted: wanted) }
      wait = limit
    }
    do {
      return try await client.until("the adapter", limit: wait) { tree in
        try? tree.usableAdapter(wanted)
      }
    } catch is TimedOut where !Task.isCancelled {
      return try usableAdapter()
    }
  }

  private func limit(on problem: AdapterProblem) -> Duration? {
    if let wait = options.adapterWait { return wait }
    if case .off(let adapter) = problem, adapter.isTurningOn { return client.limits.powerOn }
    return nil
  }

  // MARK: A fresh start

  /// Removes the device from bluetoothd, once, if requested.
  func forgetIfFresh() async throws {
    let isDue = state.withLock { state in
      defer { state.isFresh = true }
      return !state.isFresh
    }
    guard isDue, options.isFresh else { return }
    try await client.synchronize()
    let adapter = try await readyAdapter()
    guard let device = knownDevice(on: adapter.path) else { return }
    if client.withTree({ $0.advertisement(of: device)?.isPaired ?? false }) { notify(.losingBond) }
    let call = MethodCall.bluez(adapter.path, Adapter1.removeDevice, device)
    do {
      _ = try await client.bus.call(call, limit: client.limits.disconnect, lateReply: nil)
    } catch let error as DBusError where error.refusal == .doesNotExist {
      // It was already removed, as intended.
    }
    try await client.until("the device's removal", limit: client.limits.call) { tree in
      tree.has(Device1.interface, at: device) ? nil : ()
    }
    state.withLock { $0.device = nil }
  }

  // MARK: LE of a dual-mode device

  /// Makes bluetoothd connect over LE.
  func chooseBearer(of device: ObjectPath) async throws {
    let (methods, mayPreferClassic) = client.withTree { tree in
      (tree.linkMethods(device), tree.mayPreferClassic(device))
    }
    link(to: device).use(methods)
    guard mayPreferClassic else { return }
    let call = MethodCall.set(Device1.preferredBearer, PreferredBearer.lowEnergy, at: device)
    do {
      _ = try await client.bus.call(call, limit: client.limits.call, lateReply: nil)
    } catch is DBusError {
      // The setting is unchanged: Connect then reports the result.
    }
  }
}

// Queues the ATT requests to one device: the protocol allows one at a time.

import Bluetooth
import Signals
import SimulatedDevices

/// Sends one request after the other, each with its delay and fault.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.3.2 (sequential protocol).
final class RequestQueue: Sendable {
  private struct Request: Sendable {
    let operation: FaultOperation
    /// The value of a write.
    let octets: [UInt8]
    /// Performs the request at the device; calls its argument, now or later, with the function that
    /// delivers the response.
    let perform: @Sendable (@escaping @Sendable (@escaping @Sendable () -> Void) -> Void) -> Void
    let refuse: @Sendable (ATTErrorCode) -> Void
    /// Reports success without having done anything; for requests without a value.
    let pretend: @Sendable () -> Void
  }

  private struct State {
    var waiting: [Request] = []
    var current: Request?
    var timer: LoopTimer?
    /// No further request is sent.
    var isHeld = false
    /// The number of the current connection: requests of an earlier one have no effect.
    var link = 0
  }

  private let device: SimulatedDevice
  private let host: Host
  private let pace: PacedLink
  /// Drops the connection; `isGone` if the device is out of range, too.
  private let loseLink: @Sendable (_ isGone: Bool) -> Void
  private let state: Confined<State>

  init(
    to device: SimulatedDevice, host: Host, pace: PacedLink,
    loseLink: @escaping @Sendable (_ isGone: Bool) -> Void
  ) {
    self.device = device
    self.host = host
    self.pace = pace
    self.loseLink = loseLink
    state = Confined(State(), to: host.loop)
  }

  /// Queues a request.
  ///
  /// - Parameters:
  ///   - octets: The value of a write, for the log.
  ///   - perform: Performs the request at the device, and passes the result to its argument.
  ///   - done: Receives the result; Unlikely Error if the connection ends first.
  func submit<Value: Sendable>(
    _ operation: FaultOperation, _ octets: [UInt8] = [],
    _ perform: @escaping @Sendable (@escaping DeviceProgram.Answer<Value>) -> Void,
    _ done: @escaping DeviceProgram.Answer<Value>
  ) {
    let log = refusals(of: operation, octets)
    let request = Request(
      operation: operation, octets: octets,
      perform: { respond in
        perform { result in
          if case .failure(let code) = result { log(code, false) }
          respond { done(result) }
        }
      },
      refuse: { done(.failure($0)) },
      pretend: { done((() as? Value).map { .success($0) } ?? .failure(.unlikelyError)) }
    )
    state.waiting.append(request)
    next()
  }

  /// Logs refusals of a request: by the attribute, or by a fault.
  private func refusals(
    of operation: FaultOperation, _ octets: [UInt8]
  ) -> @Sendable (_ code: ATTErrorCode, _ isByFault: Bool) -> Void {
    { [host, device] code, isByFault in
      host.log?.refused(
        operation, octets, by: code, of: device.definition.address, isByFault: isByFault,
        at: host.loop.now.sinceStart
      )
    }
  }

  /// Holds further requests back, at most until the connection ends.
  func hold() { state.isHeld = true }

  /// Sends what was held back.
  func release() {
    state.isHeld = false
    next()
  }

  /// Fails the queued requests after the connection has ended.
  func fail() {
    let requests = (state.current.map { [$0] } ?? []) + state.waiting
    stop()
    for request in requests { request.refuse(.unlikelyError) }
  }

  /// Drops the queued requests without a reply, at the end of the simulation.
  func stop() {
    state.timer?.cancel()
    state.contents = State(link: state.link + 1)
  }

  private func next() {
    guard state.current == nil, !state.isHeld, !state.waiting.isEmpty else { return }
    let request = state.waiting.removeFirst()
    let link = state.link
    state.current = request
    // The request is sent behind the commands that wait.
    let wait = pace.wait(forSending: request.octets.count) ?? .zero
    let latency = wait + host.settings.link(device.latency())
    let outcome = device.nextFault(request.operation).outcome
    let limit = host.settings.attTimeout
    // A response that would take longer than bluetoothd waits counts as missing.
    guard let more = outcome.delay, more == .zero || latency + more < limit else {
      return after(limit, link) { self.loseLink(false) }
    }
    after(latency + more, link) { self.end(request, outcome, link) }
  }

  private func end(_ request: Request, _ outcome: OperationFault.Outcome, _ link: Int) {
    if let loss = outcome.loss {
      if outcome.takesEffect { request.perform { _ in } }
      return loseLink(loss == .device)
    }
    if let code = outcome.refusal {
      refusals(of: request.operation, request.octets)(code, true)
      return finish(link) { request.refuse(code) }
    }
    guard outcome.takesEffect else { return finish(link, request.pretend) }
    request.perform { respond in
      guard let delay = outcome.responseDelay else { return self.finish(link, respond) }
      self.after(delay, link) { self.finish(link, respond) }
    }
  }

  private func after(_ delay: Duration, _ link: Int, _ fire: @escaping @Sendable () -> Void) {
    state.timer = host.loop.after(delay) { [weak self] in
      guard self?.state.link == link else { return }
      fire()
    }
  }

  private func finish(_ link: Int, _ respond: () -> Void) {
    // A device's logic may answer after the connection has ended.
    guard state.link == link else { return }
    state.current = nil
    respond()
    next()
  }
}

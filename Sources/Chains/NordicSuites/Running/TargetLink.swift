// One device of a running test: its service, its last known values, its subscriptions.

import Bluetooth
import Jobs
import Signals

/// The state of a target while a test runs.
final class TargetLink: Sendable {
  /// The writes of a reliable write.
  typealias Writes = [(path: AttributePath, value: [UInt8])]

  private struct State {
    var isLinked = false
    var isConnectionRequested = false
    var known: [AttributePath: [UInt8]] = [:]
    var subscriptions: [(path: AttributePath, subscription: Subscription)] = []
    var listeners: [(path: AttributePath, box: Mailbox<Sample>)] = []
    var reliable: Writes?
  }

  let target: String
  let service: any Device
  private let state = Guarded(State())

  init(_ target: String, _ service: any Device) {
    (self.target, self.service) = (target, service)
  }

  private var loop: Loop { service.scheduler.loop }

  // MARK: The link

  /// Whether this test has connected the device, and not disconnected it since.
  var isLinked: Bool { state.withLock { $0.isLinked } }

  func linked() { state.withLock { $0.isLinked = true } }

  /// Whether the test has requested a connection, and not ended it since.
  var isConnectionRequested: Bool { state.withLock { $0.isConnectionRequested } }

  func connectionRequested() { state.withLock { $0.isConnectionRequested = true } }

  /// Handles the end of the connection: ends the subscriptions and forgets the values.
  func unlinked() async {
    await unsubscribe { _ in true }
    state.withLock { state in
      (state.isLinked, state.isConnectionRequested) = (false, false)
      (state.known, state.reliable) = ([:], nil)
    }
  }

  // MARK: Values

  /// Returns the last value that was read, written or notified; empty if there is none.
  func lastKnown(_ path: AttributePath) -> [UInt8] { state.withLock { $0.known[path] } ?? [] }

  func remember(_ value: [UInt8], of path: AttributePath) {
    state.withLock { $0.known[path] = value }
  }

  func forget() { state.withLock { $0.known = [:] } }

  // MARK: Notifications

  func isSubscribed(_ path: AttributePath) -> Bool {
    state.withLock { $0.subscriptions.contains { $0.path == path } }
  }

  /// Subscribes until ``unsubscribe(_:)`` or the end of the connection. Does nothing if already subscribed.
  func subscribe(_ path: AttributePath, _ selector: CharacteristicSelector) async throws {
    guard !isSubscribed(path) else { return }
    let subscription = Subscription(service, selector) { [weak self] sample in
      self?.arrived(sample, path)
    } failed: { [weak self] error in
      self?.lost(path, error)
    }
    try await subscription.awaitEstablished(on: loop)
    state.withLock { $0.subscriptions.append((path, subscription)) }
  }

  /// Ends the subscriptions to the characteristics for which `isEnded` returns true.
  func unsubscribe(_ isEnded: (AttributePath) -> Bool) async {
    let ended = state.withLock { state in
      let ended = state.subscriptions.filter { isEnded($0.path) }.map(\.subscription)
      state.subscriptions.removeAll { isEnded($0.path) }
      return ended
    }
    for subscription in ended { await subscription.end(on: loop) }
  }

  private func arrived(_ sample: Sample, _ path: AttributePath) {
    let boxes = state.withLock { state in
      state.known[path] = sample.octets
      return state.listeners.filter { $0.path == path }.map(\.box)
    }
    for box in boxes { box.send(sample) }
  }

  /// Handles the loss of a subscription: waits for its values fail with the error.
  private func lost(_ path: AttributePath, _ error: any Error) {
    let boxes = state.withLock { state in
      state.subscriptions.removeAll { $0.path == path }
      return state.listeners.filter { $0.path == path }.map(\.box)
    }
    for box in boxes { box.finish(.failure(error)) }
  }

  /// Runs `body` with the values that arrive from now on.
  func listening<R>(
    to path: AttributePath, _ body: (Mailbox<Sample>) async throws -> R
  ) async throws -> R {
    let box = Mailbox<Sample>(bound: SubscriptionOptions.defaultBuffer)
    state.withLock { $0.listeners.append((path, box)) }
    defer { state.withLock { $0.listeners.removeAll { $0.box === box } } }
    return try await body(box)
  }

  // MARK: Reliable writes

  /// The writes of the current reliable write; nil if there is none.
  var reliable: Writes? {
    get { state.withLock { $0.reliable } }
    set { state.withLock { $0.reliable = newValue } }
  }
}

/// A subscription that several operations share. It receives the values of a characteristic until it is ended.
private final class Subscription: Sendable {
  /// The limit on ending a subscription.
  private static let endLimit = Duration.seconds(5)

  private let standing: Mailbox<Void>
  private let ended: Mailbox<Void>
  private let observation: Observation

  /// Begins to subscribe.
  ///
  /// - Parameters:
  ///   - receive: Called with each value, on the loop.
  ///   - failed: Called with the error if the subscription is lost; not called after ``end(on:)``.
  init(
    _ service: any Device, _ selector: CharacteristicSelector,
    receive: @escaping @Sendable (Sample) -> Void, failed: @escaping @Sendable (any Error) -> Void
  ) {
    let (standing, ended) = (Mailbox<Void>(bound: 1), Mailbox<Void>(bound: 1))
    (self.standing, self.ended) = (standing, ended)
    observation = service.listening(to: selector) { samples in
      Signal { sink in
        standing.send(())
        try await samples.run(sink)
      }
    }.observe(on: service.scheduler.loop) { event in
      switch event {
      case .value(let value): return receive(value)
      case .completed, .cancelled: standing.finish()
      case .failed(let error):
        standing.finish(.failure(error))
        failed(error)
      }
      ended.finish()
    }
  }

  /// Waits until the subscription is established.
  ///
  /// - Throws: The error of the subscription, or of a cancelled wait.
  func awaitEstablished(on loop: Loop) async throws {
    do {
      _ = try await standing.next(on: loop, operation: "subscribing")
    } catch {
      await end(on: loop)
      throw error
    }
  }

  /// Ends the subscription, and waits until it has ended.
  func end(on loop: Loop) async {
    observation.cancel()
    _ = try? await shielded(on: loop, limit: Self.endLimit) { [ended] in
      try await ended.next(on: loop, operation: "ending a subscription")
    }
  }
}

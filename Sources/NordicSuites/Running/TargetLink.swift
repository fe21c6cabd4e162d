// One device of a test: its service, its last known values, its subscriptions.

import Bluetooth
import Jobs
import Signals

/// The state of a target while a test runs.
final class TargetLink: Sendable {
  private struct State {
    var isLinked = false
    /// Whether the test has asked for a connection since it last ended one.
    var isAsked = false
    var known: [AttributePath: [UInt8]] = [:]
    var subscriptions: [(path: AttributePath, subscription: Subscription)] = []
    var listeners: [(path: AttributePath, box: Mailbox<Sample>)] = []
    /// The values of a reliable write; nil when none is under way.
    var reliable: [(path: AttributePath, value: [UInt8])]?
  }

  let service: any DeviceService
  private let state = Guarded(State())

  init(_ service: any DeviceService) {
    self.service = service
  }

  private var loop: Loop { service.scheduler.loop }

  // MARK: The link

  /// Whether this test connected it and did not disconnect it since.
  var isLinked: Bool { state.withLock { $0.isLinked } }

  func linked() { state.withLock { $0.isLinked = true } }

  /// Whether the test has asked for a connection, and not ended it since.
  var isAsked: Bool { state.withLock { $0.isAsked } }

  /// The test asks for a connection.
  func ask() { state.withLock { $0.isAsked = true } }

  /// The connection ended: forgets values and subscriptions.
  func unlinked() async {
    await unsubscribeAll()
    state.withLock { state in
      state.isLinked = false
      state.isAsked = false
      state.known = [:]
      state.reliable = nil
    }
  }

  // MARK: Values

  /// The last value that was read, written or notified; empty where none is known.
  func lastKnown(_ path: AttributePath) -> [UInt8] { state.withLock { $0.known[path] } ?? [] }

  func know(_ value: [UInt8], of path: AttributePath) { state.withLock { $0.known[path] = value } }

  func forget() { state.withLock { $0.known = [:] } }

  // MARK: Notifications

  func isSubscribed(_ path: AttributePath) -> Bool {
    state.withLock { $0.subscriptions.contains { $0.path == path } }
  }

  /// Subscribes until ``unsubscribe(_:)`` or the end of the connection; does nothing when
  /// subscribed.
  func subscribe(_ path: AttributePath, _ selector: CharacteristicSelector) async throws {
    guard !isSubscribed(path) else { return }
    let subscription = Subscription(service, selector) { [weak self] sample in
      self?.arrived(sample, path)
    } failed: { [weak self] error in
      self?.lost(path, error)
    }
    try await subscription.stand(on: loop)
    state.withLock { $0.subscriptions.append((path, subscription)) }
  }

  func unsubscribe(_ path: AttributePath) async {
    let ended = state.withLock { state in
      let ended = state.subscriptions.filter { $0.path == path }.map(\.subscription)
      state.subscriptions.removeAll { $0.path == path }
      return ended
    }
    for subscription in ended { await subscription.end(on: loop) }
  }

  func unsubscribeAll() async {
    let ended = state.withLock { state in
      defer { state.subscriptions = [] }
      return state.subscriptions.map(\.subscription)
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

  /// No more values arrive: waits fail with the reason.
  private func lost(_ path: AttributePath, _ error: any Error) {
    let boxes = state.withLock { state in
      state.subscriptions.removeAll { $0.path == path }
      return state.listeners.filter { $0.path == path }.map(\.box)
    }
    for box in boxes { box.finish(.failure(error)) }
  }

  /// Runs `body` with the values that arrive from now on.
  func listening<R>(
    to path: AttributePath,
    _ body: (Mailbox<Sample>) async throws -> R
  ) async throws -> R {
    let box = Mailbox<Sample>(bound: SubscriptionOptions.usualBuffer)
    state.withLock { $0.listeners.append((path, box)) }
    defer { state.withLock { $0.listeners.removeAll { $0.box === box } } }
    return try await body(box)
  }

  // MARK: Reliable writes

  /// Begins a reliable write; false when one is under way.
  func beginReliable() -> Bool {
    state.withLock { state in
      guard state.reliable == nil else { return false }
      state.reliable = []
      return true
    }
  }

  /// Adds a write to the reliable write; false when none is under way.
  func gather(_ value: [UInt8], for path: AttributePath) -> Bool {
    state.withLock { state in
      guard state.reliable != nil else { return false }
      state.reliable?.append((path, value))
      return true
    }
  }

  /// Ends the reliable write and returns its values; nil when none is under way.
  func endReliable() -> [(path: AttributePath, value: [UInt8])]? {
    state.withLock { state in
      defer { state.reliable = nil }
      return state.reliable
    }
  }
}

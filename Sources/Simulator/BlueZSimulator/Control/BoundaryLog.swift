// The log of the clients' calls and the events at the devices.
//
// It outlives the simulated bluetoothd: after a restart the log continues.

import Bluetooth
import Signals

/// A bounded log. New entries displace the oldest ones, which leaves a gap before the first number.
public final class BoundaryLog: Sendable {
  /// Receives each new entry.
  public typealias Listener = @Sendable (BoundaryEntry) -> Void

  private struct State {
    var entries: [BoundaryEntry] = []
    var count: UInt64 = 0
    var clients: [String] = []
    var listener: Listener?
  }

  private let state = Guarded(State())
  private let limit: Int

  /// Creates an empty log.
  ///
  /// - Parameter limit: The maximum number of entries; at least one.
  public init(limit: Int = 100_000) { self.limit = max(1, limit) }

  /// The entries in the log, oldest first.
  public var entries: [BoundaryEntry] { state.withLock { $0.entries } }

  /// The entries with numbers above `number`, oldest first.
  ///
  /// ```swift
  /// let before = steering.log.entries.last?.number ?? 0
  /// _ = try await thermometer.session { thermometer.read(.batteryLevel) }
  ///   .first(within: .seconds(30))
  /// for entry in steering.log.entries(since: before) { print(entry) }
  /// ```
  public func entries(since number: UInt64) -> [BoundaryEntry] {
    state.withLock { state in
      let first = state.count - UInt64(state.entries.count)
      guard number > first else { return state.entries }
      return Array(state.entries.dropFirst(Int(clamping: number - first)))
    }
  }

  /// Calls `listener` with each later entry, on the loop. A new listener replaces it.
  public func onEntry(_ listener: @escaping Listener) { state.withLock { $0.listener = listener } }

  func add(
    at time: Duration, client: String = "", _ event: String, device: BluetoothAddress? = nil,
    attribute: BluetoothUUID? = nil, octets: [UInt8] = []
  ) {
    let (entry, listener) = state.withLock { state in
      state.count += 1
      let entry = BoundaryEntry(
        number: state.count, time: time, client: client, event: event, device: device,
        attribute: attribute, octets: octets
      )
      // Entries are dropped in large steps, because each step copies the rest.
      if state.entries.count >= limit { state.entries.removeFirst(max(1, limit / 8)) }
      state.entries.append(entry)
      if !client.isEmpty, !state.clients.contains(client) { state.clients.append(client) }
      return (entry, state.listener)
    }
    listener?(entry)
  }

  /// Logs that a client left the bus, unless it had made no call.
  func clientLeft(_ client: String, at time: Duration) {
    let wasKnown = state.withLock { state in
      guard let index = state.clients.firstIndex(of: client) else { return false }
      state.clients.remove(at: index)
      return true
    }
    guard wasKnown else { return }
    add(at: time, client: client, BoundaryEntry.Event.left)
    state.withLock { $0.clients.removeAll { $0 == client } }
  }
}

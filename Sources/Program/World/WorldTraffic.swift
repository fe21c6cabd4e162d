// What bluetoothd is asked and answers: kept for failures, and printed.

import BlueZ
import BlueZInterfaces
import Bluetooth
import DBus
import Jobs
import Signals

/// The messages between this program and bluetoothd.
///
/// The latest ones are kept in bounded memory, by device. Most are never shown, so they become text
/// only when somebody wants them.
final class WorldTraffic: BlueZTraffic {
  private struct Kept {
    let message: ObservedMessage
    /// The path of the device; nil for none.
    let device: ObjectPath?
    let time: Duration
    /// The ordinal of the message.
    let number: UInt64
  }

  private struct State {
    /// By the path of a device that this program called.
    var rings: [ObjectPath: RecentValues<Kept>] = [:]
    /// The messages about no device, and the signals of devices that were not called yet: in a room
    /// full of these they take no place of the others.
    var others = RecentValues<Kept>(limit: WorldTraffic.mostMessages)
    var count: UInt64 = 0
    /// The objects of devices, by the names in output.
    var objects: [String: @Sendable () -> ObjectPath?] = [:]
    /// Who receives every message besides.
    var observer: (@Sendable (ObservedMessage, Instant) -> Void)?

    /// Forgets the device whose latest message is the oldest.
    mutating func forgetOne() {
      let oldest = rings.min { $0.value.last?.number ?? 0 < $1.value.last?.number ?? 0 }
      if let oldest { rings[oldest.key] = nil }
    }

    mutating func add(_ kept: Kept) {
      guard let device = kept.device, rings[device] != nil || !kept.message.isSignal else {
        return others.append(kept)
      }
      if rings[device] == nil, rings.count >= WorldTraffic.mostDevices { forgetOne() }
      rings[device, default: RecentValues(limit: WorldTraffic.mostMessages)].append(kept)
    }
  }

  /// How many messages about a device are kept.
  fileprivate static let mostMessages = 64
  /// About how many devices messages are kept.
  fileprivate static let mostDevices = 64

  private let loop: Loop
  private let state = Guarded(State())

  init(on loop: Loop) { self.loop = loop }

  /// The device that output calls `name` has this object, once it is known.
  func know(_ name: String, object: @escaping @Sendable () -> ObjectPath?) {
    state.withLock { $0.objects[name] = object }
  }

  /// Has every later message passed on, with the time on the loop's clock.
  func observe(_ observer: @escaping @Sendable (ObservedMessage, Instant) -> Void) {
    state.withLock { $0.observer = observer }
  }

  /// Takes a message, from any thread.
  @Sendable func receive(_ message: ObservedMessage) {
    guard Self.isBlueZ(message) else { return }
    let device = message.path.flatMap { BlueZPath.devicePath(containing: $0) }
    let time = loop.wallClockAtStart + loop.now.sinceStart
    state.withLock { $0.observer }?(message, loop.now)
    // Every attribute of a device comes and goes with its services: that explains nothing.
    let isKept = message.interface != StandardInterface.objectManager || message.path == device
    if isKept {
      state.withLock { state in
        state.add(Kept(message: message, device: device, time: time, number: state.count))
        state.count += 1
      }
    }
    if !message.isSignal, StandardStreams.ofProcess.presentation.verbosity == .verbose {
      StandardError.traffic(BlueZMessage(message, at: time), at: loop.now)
    }
  }

  /// Whether a message is one of bluetoothd, or about it: programs of other names send signals, too.
  private static func isBlueZ(_ message: ObservedMessage) -> Bool {
    switch message.kind {
    case .call, .reply, .error: true
    case .request: message.interface == Agent1.interface
    case .signal:
      message.path?.text.hasPrefix(BlueZPath.manager.text) ?? false
        || message.interface == StandardInterface.objectManager
        || message.interface == BusDriver.interface
    }
  }

  // MARK: What is kept

  func latest(about device: String, since time: Duration) -> [BlueZMessage] {
    let object = state.withLock { $0.objects[device] }?()
    let kept = state.withLock { state in
      let others = state.others.values.filter { $0.device == nil || $0.device == object }
      return (object.flatMap { state.rings[$0]?.values } ?? []) + others
    }
    return kept.filter { $0.time >= time }.sorted { $0.number < $1.number }
      .map { BlueZMessage($0.message, at: $0.time) }
  }
}

extension ObservedMessage {
  fileprivate var isSignal: Bool { kind == .signal }
}

extension BlueZMessage {
  /// An observed message. What an agent is asked may be a passkey: it is left out.
  fileprivate init(_ message: ObservedMessage, at time: Duration) {
    let (kind, number, error): (Kind, Int?, String?) =
      switch message.kind {
      case .call(let number): (.call, number, nil)
      case .reply(let number): (.reply, number, nil)
      case .error(let number, let name): (.error, number, name)
      case .signal: (.signal, nil, nil)
      case .request: (.request, nil, nil)
      }
    self.init(
      kind,
      at: time,
      number: number,
      object: message.path?.text,
      interface: message.interface,
      member: message.member,
      error: error,
      arguments: kind == .request ? Secret.mask : message.arguments
    )
  }
}

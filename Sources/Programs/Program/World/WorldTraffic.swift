// What bluetoothd is asked and answers: kept for failures, and printed.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The messages between this program and bluetoothd.
///
/// The latest ones are kept in bounded memory, by device. Most are never shown, so they become text
/// only when somebody wants them.
final class WorldTraffic: BlueZTraffic {
  private struct Kept {
    let message: KeptMessage
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
    /// How many calls were sent to bluetoothd.
    var calls = 0
    /// The latest of them that wait for their replies, by serial.
    var waiting: [UInt32: KeptMessage] = [:]
    /// The objects of devices, by the names in output.
    var objects: [String: @Sendable () -> ObjectPath?] = [:]
    /// Who receives every message besides.
    var observer: (@Sendable (KeptMessage, Instant) -> Void)?

    /// Forgets the device whose latest message is the oldest.
    mutating func forgetOne() {
      let oldest = rings.min { $0.value.last?.number ?? 0 < $1.value.last?.number ?? 0 }
      if let oldest { rings[oldest.key] = nil }
    }

    /// A message, when it is of bluetoothd or for it: programs of other names send signals, too.
    mutating func message(_ message: Message) -> KeptMessage? {
      switch message.kind {
      case .methodCall where message.destination == OrgBlueZ.busName:
        calls += 1
        let call = KeptMessage(.call, number: calls, message)
        waiting[message.serial] = call
        // Callers give up, and are not reported.
        if waiting.count > WorldTraffic.mostWaiting, let oldest = waiting.keys.min() {
          waiting[oldest] = nil
        }
        return call
      case .methodReturn, .error:
        let call = waiting.removeValue(forKey: message.replySerial ?? 0)
        return call.map { KeptMessage(of: $0, message) }
      case .methodCall:
        return message.interface == Agent1.interface ? KeptMessage(.request, message) : nil
      case .signal:
        let isOfBlueZ =
          message.interface == StandardInterface.objectManager
          || message.interface == BusDriver.interface
          || message.path?.text.hasPrefix(BlueZPath.manager.text) ?? false
        return isOfBlueZ ? KeptMessage(.signal, message) : nil
      }
    }

    mutating func add(_ kept: Kept) {
      guard let device = kept.device, rings[device] != nil || kept.message.kind != .signal else {
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

  /// How many calls are known while they wait.
  private static let mostWaiting = 1_024

  private let loop: Loop
  private let state = Guarded(State())

  init(on loop: Loop) { self.loop = loop }

  /// The device that output calls `name` has this object, once it is known.
  func know(_ name: String, object: @escaping @Sendable () -> ObjectPath?) {
    state.withLock { $0.objects[name] = object }
  }

  /// Has every later message passed on, with the time on the loop's clock.
  func observe(_ observer: @escaping @Sendable (KeptMessage, Instant) -> Void) {
    state.withLock { $0.observer = observer }
  }

  /// Takes a message, from any thread.
  @Sendable func receive(_ observed: Message, at instant: Instant) {
    guard let message = state.withLock({ $0.message(observed) }) else { return }
    state.withLock { $0.observer }?(message, instant)
    let device = message.path.flatMap { BlueZPath.devicePath(containing: $0) }
    let time = loop.wallClockAtStart + instant.sinceStart
    // Every attribute of a device comes and goes with its services: that explains nothing. Nor is a list of all
    // objects kept: the values of a message have no other bound.
    let isKept = message.interface != StandardInterface.objectManager || message.path == device
    if isKept {
      state.withLock { state in
        state.add(Kept(message: message, device: device, time: time, number: state.count))
        state.count += 1
      }
    }
    if message.kind != .signal, StandardStreams.ofProcess.presentation.isVerbose {
      StandardError.traffic(message.message(at: time), at: instant)
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
      .map { $0.message.message(at: $0.time) }
  }
}

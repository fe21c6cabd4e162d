// The messages to and from bluetoothd: kept for explanations of failures, and printed.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The messages between this program and bluetoothd.
///
/// The latest ones are kept in bounded memory, by device. Most are never shown, so they are formatted only on
/// request.
final class WorldTraffic: BlueZTraffic {
  private struct Kept {
    let message: KeptMessage
    /// The object path of the device; nil for a message about no device.
    let device: ObjectPath?
    let time: Duration
    /// The ordinal of the message.
    let number: UInt64
  }

  private struct State {
    /// The messages about each device that this program has called, by object path.
    var rings: [ObjectPath: RecentValues<Kept>] = [:]
    /// The messages about no device, and the signals of devices that were not called yet. Apart, so that many nearby
    /// devices do not displace the others.
    var others = RecentValues<Kept>(limit: WorldTraffic.mostMessages)
    var count: UInt64 = 0
    /// The number of calls sent to bluetoothd.
    var calls = 0
    /// The latest calls without a reply, by serial.
    var waiting: [UInt32: KeptMessage] = [:]
    /// The object paths of devices, by their names in the output.
    var objects: [String: @Sendable () -> ObjectPath?] = [:]
    /// The device of the latest message's path: most messages have the path of the one before.
    var latest: (path: ObjectPath, device: ObjectPath?)?
    /// A further receiver of every message.
    var observer: (@Sendable (KeptMessage, Instant) -> Void)?

    /// Removes the messages of the device whose latest message is the oldest.
    mutating func forgetOne() {
      let oldest = rings.min { $0.value.last?.number ?? 0 < $1.value.last?.number ?? 0 }
      if let oldest { rings[oldest.key] = nil }
    }

    /// The message to keep; nil if it is neither from bluetoothd nor to it, such as a signal of another program.
    mutating func message(_ message: Message) -> KeptMessage? {
      switch message.kind {
      case .methodCall where message.destination == OrgBlueZ.busName:
        calls += 1
        let call = KeptMessage(.call, number: calls, message)
        waiting[message.serial] = call
        // Calls that time out get no reply, and would stay.
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

    /// The device that a path is of, or inside of.
    mutating func device(of path: ObjectPath) -> ObjectPath? {
      if let latest, latest.path == path { return latest.device }
      let device = BlueZPath.devicePath(containing: path)
      latest = (path, device)
      return device
    }

    mutating func add(_ kept: Kept) {
      guard let device = kept.device, rings[device] != nil || kept.message.kind != .signal else {
        return others.append(kept)
      }
      if rings[device] == nil, rings.count >= WorldTraffic.mostDevices { forgetOne() }
      rings[device, default: RecentValues(limit: WorldTraffic.mostMessages)].append(kept)
    }
  }

  /// The number of messages kept for each device.
  fileprivate static let mostMessages = 64
  /// The number of devices whose messages are kept.
  fileprivate static let mostDevices = 64

  /// The maximum number of calls without a reply.
  private static let mostWaiting = 1_024

  private let loop: Loop
  private let state = Guarded(State())

  init(on loop: Loop) { self.loop = loop }

  /// Registers the object path of a device by its name in the output.
  func know(_ name: String, object: @escaping @Sendable () -> ObjectPath?) {
    state.withLock { $0.objects[name] = object }
  }

  /// Registers a receiver of every later message, with the time of the loop.
  func observe(_ observer: @escaping @Sendable (KeptMessage, Instant) -> Void) {
    state.withLock { $0.observer = observer }
  }

  /// Receives a message, on any thread.
  @Sendable func receive(_ observed: Message, at instant: Instant) {
    let (kept, device, observer) = state.withLock { state in
      let message = state.message(observed)
      return (message, message?.path.flatMap { state.device(of: $0) }, state.observer)
    }
    guard let message = kept else { return }
    observer?(message, instant)
    let time = loop.wallClockAtStart + instant.sinceStart
    // Signals about the attributes of a device explain nothing, and a list of all objects is too large: both are not
    // kept.
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

  // MARK: Kept messages

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

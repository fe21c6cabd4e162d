// Tries an adapter and a device: scans, connects again and again, reads and subscribes. It writes no value.
//
// The figures are in RadioReport.

import BlueZ
import Bluetooth
import Jobs
import Signals

/// A survey of one adapter with one device.
final class RadioSurvey: Sendable {
  static let defaultConnections = 20
  /// The duration of the scan.
  static let scanTime = Duration.seconds(10)
  /// The duration of a subscription.
  static let listeningTime = Duration.seconds(3)
  /// The limit for each read.
  private static let readLimit = Duration.seconds(5)
  /// The number of characteristics that are read on each connection.
  private static let mostReads = 8

  /// The codes of failures that are about the connection, and not about the characteristic.
  private static let ends = [DeviceFailure.Code.linkLost, .notConnected].map(\.rawValue)
  /// bluetoothd itself subscribes to it.
  private static let serviceChanged = BluetoothUUID(short: 0x2a05)

  private let service: any Device
  private let target: DeviceTarget
  private let connections: Int
  private let limit: Duration
  private let state = Guarded(RadioReport())
  /// The handles of characteristics whose read failed.
  private let refused = Guarded<Set<UInt16>>([])

  /// - Parameters:
  ///   - connections: How many times it connects.
  ///   - limit: The limit for each attempt.
  init(_ service: any Device, _ target: DeviceTarget, connections: Int, limit: Duration) {
    self.service = service
    self.target = target
    self.connections = connections
    self.limit = limit
  }

  private var loop: Loop { service.scheduler.loop }

  /// The figures so far.
  var report: RadioReport { state.withLock { $0 } }

  /// Records the end of a connection.
  @Sendable func receive(_ news: LinkNews) {
    guard case .ended(let end) = news.change else { return }
    let text =
      switch end {
      case .requested: "requested"
      case .dropped(let cause): "dropped (\(cause.meaning))"
      case .deviceRemoved: "bluetoothd removed the device"
      case .daemonLost: "bluetoothd disappeared"
      }
    change { $0.ends.append(text) }
  }

  /// Surveys, and sends one value at the end. A failed operation is a figure of the report; only a device that is
  /// connected already ends the survey early.
  ///
  /// - Parameter follow: Receives each wait, for a live view.
  func run(_ follow: @escaping @Sendable (RunWait) -> Void) -> Signal<Bool> {
    Signal(home: service.scheduler) { [self] sink in
      follow(RunWait(what: "scanning", begun: loop.now, limit: Self.scanTime))
      try await scan()
      for number in 1...connections {
        follow(RunWait(what: "connection \(number) of \(connections)", begun: loop.now))
        try await connect(number)
      }
      try await sink(true)
    }
  }

  /// Changes the figures of the latest connection.
  private func change(_ body: (inout RadioReport.Connection) -> Void) {
    state.withLock { report in
      guard let last = report.connections.indices.last else { return }
      body(&report.connections[last])
    }
  }

  private func scan() async throws {
    let begun = loop.now
    let over = Signal.just(()).delay(Self.scanTime)
    let seen = Guarded<Set<BluetoothAddress>>([])
    let scanning = service.startScan(ScanFilter()).flattenMap { $0.takeUntil(over) }
    let result = try await measured(isEssential: true) { [self] in
      try await scanning.run { advertisement in
        let devices = seen.withLock { seen in
          seen.insert(advertisement.address)
          return seen.count
        }
        state.withLock { report in
          (report.scan.devices, report.scan.reports) = (devices, report.scan.reports + 1)
          if target.matches(advertisement), let rssi = advertisement.rssi {
            report.scan.strengths.append(rssi)
          }
        }
      }
    }
    state.withLock { report in
      (report.scan.took, report.scan.failure) = (loop.now - begun, result.failure)
    }
  }

  private func connect(_ number: Int) async throws {
    state.withLock { $0.connections.append(RadioReport.Connection()) }
    let connecting = try await measured { [self] in
      let connecting = service.connect(keep: false, expecting: []).timeout(limit, "connecting")
      guard try await connecting.first() == .found else { return }
      throw RunFailure(
        code: .busy, class: .passing, what: "surveying \(target.text)",
        why: "the device is connected already",
        hint: "end the other program, or disconnect the device (bluetoothctl disconnect)"
      )
    }
    change { $0.connecting = connecting }
    guard connecting.duration != nil else { return }
    try await use(number)
    let disconnecting = try await measured { [self] in
      try await service.disconnect().run { _ in }
    }
    change { $0.disconnecting = disconnecting }
  }

  /// Reads and subscribes on the present connection.
  private func use(_ number: Int) async throws {
    let found = Guarded<[GATTService]>([])
    let listing = try await measured { [self] in
      try await service.services().run { services in found.withLock { $0 = services } }
    }
    let services = found.withLock { $0 }
    let characteristics = services.flatMap(\.characteristics)
    change { ($0.services, $0.attributes) = (listing, characteristics.count) }
    state.withLock { $0.services = services.map(\.uuid) }
    let mtu = try await value(of: service.mtu()) { "\($0)" }
    let strength = try await value(of: service.rssi()) { "\($0.rssi) dBm" }
    change { ($0.mtu, $0.strength) = (mtu, strength) }
    try await read(characteristics)
    // Each connection tries the next one.
    let notifying = characteristics.filter {
      $0.uuid != Self.serviceChanged
        && ($0.properties.contains(.notify) || $0.properties.contains(.indicate))
    }
    guard !notifying.isEmpty else { return }
    try await listen(to: notifying[(number - 1) % notifying.count])
  }

  /// Reads characteristics. One that failed is not read again: it may want the device to be paired.
  private func read(_ characteristics: [GATTCharacteristic]) async throws {
    let failed = refused.withLock { $0 }
    let readable = characteristics.filter {
      $0.properties.contains(.read) && !failed.contains($0.handle)
    }
    for characteristic in readable.prefix(Self.mostReads) {
      let reading = service.read(CharacteristicSelector(handle: characteristic.handle))
      let result = try await measured {
        try await reading.timeout(Self.readLimit, "reading").run { _ in }
      }
      change { $0.reads.append(result) }
      if let failure = result.failure, !Self.ends.contains(failure) {
        refused.withLock { _ = $0.insert(characteristic.handle) }
      }
    }
  }

  private func listen(to characteristic: GATTCharacteristic) async throws {
    let begun = loop.now
    let active = Guarded<Duration?>(nil)
    let selector = CharacteristicSelector(handle: characteristic.handle)
    let stream = service.subscribe(selector, SubscriptionOptions())
      .flattenMap { [self] events in
        active.withLock { $0 = loop.now - begun }
        return events.notifications.takeUntil(Signal.just(()).delay(Self.listeningTime))
      }
    let result = try await measured { [self] in
      try await stream.timeout(limit + Self.listeningTime, "subscribing").run { [self] _ in
        change { $0.notified += 1 }
      }
    }
    change { connection in
      connection.subscribing = active.withLock { $0 }.map { .took($0) } ?? result
      if let failure = result.failure, connection.subscribing?.failure == nil {
        connection.subscribing = .failed(failure)
      }
    }
  }

  /// The value of an operation as text, or the code of its failure.
  private func value<Value: Sendable>(
    of signal: Signal<Value>, _ text: @escaping @Sendable (Value) -> String
  ) async throws -> String? {
    let found = Guarded<String?>(nil)
    let result = try await measured {
      try await signal.timeout(Self.readLimit, "asking").run { value in
        found.withLock { $0 = text(value) }
      }
    }
    return found.withLock { $0 } ?? result.failure
  }

  /// Measures an operation. Its failure is a result, unless the survey is cancelled or must not go on.
  ///
  /// - Parameter isEssential: Whether a host that cannot do it ends the survey: without a bus or an adapter
  ///   nothing else can be measured.
  private func measured(
    isEssential: Bool = false, _ body: () async throws -> Void
  ) async throws -> RadioReport.Result {
    let begun = loop.now
    do {
      try await body()
      return .took(loop.now - begun)
    } catch {
      let isUnavailable = (error as? DeviceFailure)?.class == .unavailable
      if Task.isCancelled || error is RunFailure || isEssential && isUnavailable { throw error }
      return .failed(RunFailure(error).code.rawValue)
    }
  }
}

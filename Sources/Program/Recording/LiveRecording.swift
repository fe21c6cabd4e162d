// Recording a device over a connection: nothing is written to it but subscriptions, where these are
// asked for.

import Bluetooth
import Jobs
import Recording
import Signals

/// Learns what a device is and has.
///
/// What was learned so far is in ``recording`` at any time: a recording that is cut short keeps it.
final class LiveRecording: Sendable {
  let service: any Device
  /// How long advertisements are received.
  let scan: Duration
  /// How long subscriptions last; nil: nothing is subscribed.
  let notifying: Duration?
  /// How pairing is answered; nil: the device is not paired.
  let pairing: PairingAnswers?
  /// Whether it is more than advertisements.
  let connects: Bool
  /// How long connecting may take.
  let limit: Duration
  /// How long each read may take.
  let readLimit: Duration
  private struct State {
    /// All that match; one is connected.
    var known: [BluetoothAddress: DeviceRecording] = [:]
    /// The first that was received, then the one that is connected.
    var chosen: BluetoothAddress?
    /// Whether the connection was made here.
    var isOwn = false
  }

  private let state = Guarded(State())
  private let begun: Instant

  /// A pattern may match a crowd.
  private static let mostDevices = 256

  /// After so many reads without an answer the others are not tried.
  private static let mostUnanswered = 8

  init(
    _ service: any Device,
    scan: Duration,
    notifying: Duration?,
    pairing: PairingAnswers?,
    connects: Bool,
    limit: Duration,
    readLimit: Duration
  ) {
    self.service = service
    self.scan = scan
    self.notifying = notifying
    self.pairing = pairing
    self.connects = connects
    self.limit = limit
    self.readLimit = readLimit
    begun = service.scheduler.loop.now
  }

  /// What was learned so far; nil before the device was seen.
  var recording: DeviceRecording? {
    state.withLock { state in
      guard let chosen = state.chosen, var recording = state.known[chosen] else { return nil }
      // The same name at another private address: the same device, which changed its address.
      recording.otherAddresses = state.known.values.filter { other in
        other.address != chosen && other.changesAddress && other.name != nil
          && other.name == recording.name
      }.map(\.address).sorted()
      return recording
    }
  }

  private func change(_ body: (inout DeviceRecording) -> Void) {
    state.withLock { state in
      // Taken out meanwhile, so that its arrays are not copied.
      guard let chosen = state.chosen, var changed = state.known.removeValue(forKey: chosen) else {
        return
      }
      body(&changed)
      state.known[chosen] = changed
    }
  }

  /// Records; sends once when all is done. Fails when the device is not found or not connected.
  ///
  /// - Parameter target: The device, for the scan.
  func run(_ target: DeviceTarget, follow: @escaping @Sendable (RunWait) -> Void) -> Signal<Bool> {
    Signal(home: service.scheduler) { [self] sink in
      let loop = service.scheduler.loop
      follow(RunWait(what: "receiving advertisements", begun: loop.now, limit: scan))
      try await receiveAdvertisements(of: target)
      guard connects else { return try await sink(recording != nil) }
      follow(RunWait(what: "connecting", begun: loop.now, limit: limit))
      try await connect()
      try await service.services().run { services in
        self.change { $0.services = services.map { RecordedService($0) } }
      }
      try await readMTU()
      try await readValues(follow)
      if let pairing {
        follow(RunWait(what: "pairing", begun: loop.now))
        try await service.pair(pairing).timeout(limit, "pairing").run { _ in }
        change { $0.pairing = pairing.secret == nil ? .justWorks : .passkey }
        try await readProtected()
      }
      if let notifying {
        follow(RunWait(what: "receiving notifications", begun: loop.now, limit: notifying))
        try await receiveNotifications(for: notifying)
      }
      // Whoever else uses the connection keeps it.
      try await service.leave().run { _ in }
      try await sink(true)
    }
  }

  // MARK: Advertisements

  private func receiveAdvertisements(of target: DeviceTarget) async throws {
    let over = Signal.just(()).delay(scan)
    let seen = service.startScan(ScanFilter(target: target))
      .flattenMap { $0.takeUntil(over) }
    try await seen.run { seen in self.receive(seen) }
  }

  private func receive(_ seen: Advertisement) {
    state.withLock { state in
      guard state.known[seen.address] != nil || state.known.count < Self.mostDevices else { return }
      var device =
        state.known.removeValue(forKey: seen.address)
        ?? DeviceRecording(address: seen.address, addressType: seen.addressType)
      if let name = seen.name { device.name = name }
      device.appearance = seen.appearance ?? device.appearance
      if device.advertisements.isEmpty { device.advertisements = [RecordedAdvertisement()] }
      device.advertisements[0].add(seen)
      state.known[seen.address] = device
      if state.chosen == nil { state.chosen = seen.address }
    }
  }

  // MARK: Connection

  private func connect() async throws {
    let loop = service.scheduler.loop
    let start = loop.now
    try await service.connect(keep: false, expecting: []).timeout(limit, "connecting")
      .run { origin in
        let took = loop.now - start
        let candidate = self.service.candidates.first
        self.state.withLock { state in
          state.isOwn = origin != .found
          // Of several that match, it connects to the strongest.
          if let candidate { state.chosen = candidate.address }
          // A device that was connected before sends no advertisements.
          if let candidate, state.known[candidate.address] == nil {
            state.known[candidate.address] = DeviceRecording(
              address: candidate.address,
              addressType: candidate.address.isIdentity(.random) ? .random : .public,
              name: candidate.name
            )
          }
        }
        if origin != .found { self.change { $0.link.connecting.append(took) } }
      }
    guard recording != nil else {
      throw DeviceFailure(
        code: .notFound,
        class: .passing,
        operation: "recording",
        device: service.deviceDescription,
        meaning: "it is connected, and sends no advertisements: its address is not known",
        hint: "name it by its address, or disconnect it first"
      )
    }
  }

  private func readMTU() async throws {
    do {
      try await service.mtu().timeout(readLimit, "reading the MTU").run { mtu in
        self.change { $0.link.mtu = mtu }
      }
    } catch let failure as DeviceFailure {
      change { $0.unknown.append("the MTU: \(failure.meaning)") }
    }
  }

  // MARK: Values

  /// A characteristic or a descriptor that can be read.
  private struct Readable: Sendable {
    let handle: UInt16
    let read: Signal<[UInt8]>
  }

  private func readables(_ isMeant: (RecordedReading?) -> Bool) -> [Readable] {
    recording?.characteristics.flatMap { one in
      var all: [Readable] = []
      if one.properties.contains(.read), isMeant(one.reading) {
        let selector = CharacteristicSelector(handle: one.handle)
        all.append(Readable(handle: one.handle, read: service.read(selector)))
      }
      for descriptor in one.descriptors where isMeant(descriptor.reading) {
        let selector = DescriptorSelector(handle: descriptor.handle)
        all.append(Readable(handle: descriptor.handle, read: service.readDescriptor(selector)))
      }
      return all
    } ?? []
  }

  private func readValues(_ follow: @Sendable (RunWait) -> Void) async throws {
    var unanswered = 0
    for one in readables({ $0 == nil }) {
      guard unanswered < Self.mostUnanswered else {
        change {
          $0.learn(.unknown("reads before it were not answered"), of: one.handle)
        }
        continue
      }
      follow(RunWait(what: "reading values", begun: service.scheduler.loop.now, limit: readLimit))
      let reading = try await reading(of: one)
      change { $0.learn(reading, of: one.handle) }
      guard case .unanswered = reading else { continue }
      // bluetoothd holds every request behind one that wants a bond: a new connection has none. That of
      // somebody else stays.
      unanswered += state.withLock { $0.isOwn } ? 1 : Self.mostUnanswered
      guard unanswered < Self.mostUnanswered else { continue }
      try await service.disconnect().run { _ in }
      try await connect()
    }
  }

  private func reading(of one: Readable) async throws -> RecordedReading {
    let loop = service.scheduler.loop
    let start = loop.now
    var octets: [UInt8] = []
    do {
      try await one.read.timeout(readLimit, "reading").run { octets = $0 }
    } catch let failure as DeviceFailure {
      if let code = failure.att { return .refused(code) }
      switch failure.code {
      case .timedOut: return .unanswered
      case .notPaired: return .refused(.insufficientAuthentication)
      case .notPermitted: return .refused(.readNotPermitted)
      case .notSupported: return .refused(.requestNotSupported)
      // open: codes
      default:
        guard failure.class == .definite else { throw failure }
        return .unknown(failure.meaning)
      }
    }
    let took = loop.now - start
    change { recording in
      if recording.link.latencies.count < RecordedLink.mostSamples {
        recording.link.latencies.append(took)
      }
    }
    return .octets(octets)
  }

  /// What was refused without a bond. The refusal stays: it is what a client without one gets.
  private func readProtected() async throws {
    let refused = readables { reading in
      switch reading {
      case .refused, .unanswered: true
      case .octets, .unknown, nil: false
      }
    }
    for one in refused {
      guard case .octets(let octets) = try await reading(of: one) else { continue }
      change { $0.learnProtected(octets, of: one.handle) }
    }
  }

  // MARK: Notifications

  private func receiveNotifications(for time: Duration) async throws {
    let sources = (recording?.listedServices ?? []).flatMap(\.characteristics)
      .filter { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
    let over = Signal.just(()).delay(time)
    let begun = begun
    let all = sources.map { one in
      service.notifications(CharacteristicSelector(handle: one.handle))
        .takeUntil(over)
        .map { RecordedNotification(handle: one.handle, octets: $0.value, at: $0.at - begun) }
        .catchError { error in
          guard let failure = error as? DeviceFailure, failure.class == .definite else {
            return .failure(error)
          }
          self.change {
            $0.unknown.append(
              "what \(one.uuid) sends: it cannot be subscribed to (\(failure.meaning))"
            )
          }
          return .empty()
        }
    }
    try await Signal.merge(all).run { value in
      self.change { recording in
        if recording.notifications.count < RecordedNotification.most {
          recording.notifications.append(value)
        }
      }
    }
    let end = service.scheduler.loop.now - begun
    change { recording in
      recording.observedUntil = end
      if recording.notifications.count == RecordedNotification.most {
        recording.unknown.append("what came after \(RecordedNotification.most) notifications")
      }
    }
  }
}

extension RecordedAdvertisement {
  /// Adds what bluetoothd has of an advertisement: its fields, put together.
  fileprivate mutating func add(_ seen: Advertisement) {
    hasName = hasName || seen.name != nil
    for service in seen.advertisedServices ?? [] where !services.contains(service) {
      services.append(service)
    }
    txPower = seen.txPower ?? txPower
    for (company, data) in seen.manufacturerData { Self.add(company, data, to: &manufacturerData) }
    for (service, data) in seen.serviceData { Self.add(service, data, to: &serviceData) }
    if let strength = seen.rssi, rssi.count < Self.mostSamples { rssi.append(strength) }
  }
}

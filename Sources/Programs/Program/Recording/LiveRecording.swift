// Records a device over a connection. It writes nothing but subscriptions, and those only on
// request.
//
// Values that the subscriptions and a chain exchange are collected in RecordedTraffic.

import BlueZInterfaces
import Bluetooth
import Jobs
import Recording
import Signals
import SimulatedDevices

/// A recording in progress: advertisements, services, values, pairing.
///
/// ``recording`` is available at any time, so an interrupted recording is kept.
final class LiveRecording: Sendable {
  let service: any Device
  /// The duration of the scan.
  let scan: Duration
  /// The duration of the subscriptions; nil for no subscriptions.
  let notifying: Duration?
  /// The answers to pairing; nil for no pairing.
  let pairing: PairingAnswers?
  /// Whether it connects; otherwise it records only advertisements.
  let connects: Bool
  /// The timeout of connecting and of pairing.
  let limit: Duration
  /// The timeout of each read.
  let readLimit: Duration
  /// The names of attributes in failures.
  let names: AttributeNames
  /// The HCI trace of the recording; nil if none can be made.
  let trace: LiveTrace?
  private struct State {
    /// All devices that match the target; at most one is connected.
    var known: [BluetoothAddress: DeviceRecording] = [:]
    /// The address of the first received device, later of the connected one.
    var chosen: BluetoothAddress?
    /// Whether this recording made the connection.
    var isOwn = false
    /// Whether a device was connected before.
    var wasConnected = false
    /// Whether the latest connection is to a different device than the previous one.
    var isAnother = false
    /// The phase, which decides the meaning of a failed subscription.
    var phase = Phase.subscribing
    /// The handles of characteristics that cannot be subscribed to.
    var refused: Set<UInt16> = []
    /// The failure of the chain, stored while the subscriptions continue.
    var chainFailure: (any Error)?

    /// Chooses the device of the first connection.
    ///
    /// - Returns: Whether a later connection is to the chosen device, whose private address may
    ///   have changed. Its recording keeps the first address.
    mutating func isChosen(_ candidate: DeviceCandidate) -> Bool {
      let address = candidate.address
      guard wasConnected, let chosen, let first = known[chosen] else {
        wasConnected = true
        chosen = address
        // A device that is already connected sends no advertisements, so it is not known yet.
        if known[address] == nil {
          let type: AddressType = address.isIdentity(.random) ? .random : .public
          known[address] = DeviceRecording(
            address: address, addressType: type, name: candidate.name)
        }
        return true
      }
      if address == chosen { return true }
      guard first.changesAddress, let name = candidate.name,
        [first.name, first.gapName].contains(name)
      else { return false }
      if known[address] == nil {
        known[address] = DeviceRecording(address: address, addressType: .random, name: first.name)
      }
      return true
    }
  }

  private enum Phase {
    /// A failed subscription fails the recording or is recorded, before values count.
    case subscribing
    /// A chain is running; it may disconnect and reconnect the device.
    case chained
    case listening
  }

  private let state = Guarded(State())
  private let begun: Instant

  private static let paired =
    "what it demands of a connection: this host is paired with it; blerun unpair ends that"

  /// The limit on matching devices: a pattern may match very many.
  private static let mostDevices = 256

  /// The number of unanswered reads after which further reads are skipped.
  private static let mostUnanswered = 8

  /// The ATT transaction timeout, after which bluetoothd disconnects.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.3.3.
  private static let longestRead = Duration.seconds(30)

  init(
    _ service: any Device, scan: Duration, notifying: Duration?, pairing: PairingAnswers?,
    connects: Bool, limit: Duration, readLimit: Duration, names: AttributeNames, trace: LiveTrace?
  ) {
    self.service = service
    self.scan = scan
    self.notifying = notifying
    self.pairing = pairing
    self.connects = connects
    self.limit = limit
    self.readLimit = readLimit
    self.names = names
    self.trace = trace
    begun = service.scheduler.loop.now
  }

  /// The recording so far; nil before the device was received.
  var recording: DeviceRecording? {
    state.withLock { state in
      guard let chosen = state.chosen, var recording = state.known[chosen] else { return nil }
      // Other private addresses with the same name are earlier or later addresses of this device.
      recording.otherAddresses = state.known.values.filter { other in
        other.address != chosen && other.changesAddress && other.name != nil
          && other.name == recording.name
      }.map(\.address).sorted()
      return recording
    }
  }

  private func change(_ body: (inout DeviceRecording) -> Void) {
    state.withLock { state in
      // Removed during the change, so that its arrays are mutated in place.
      guard let chosen = state.chosen, var changed = state.known.removeValue(forKey: chosen) else {
        return
      }
      body(&changed)
      state.known[chosen] = changed
    }
  }

  /// Records the device and sends one value at the end: whether there is a recording. Fails if the
  /// device is not found or not connected.
  ///
  /// - Parameters:
  ///   - target: The device, for the scan.
  ///   - chain: Work in the turn of the recording, while the device is subscribed to; nil for none.
  ///   - follow: Receives each wait, for a live view.
  ///   - begin: Called after all reads: bus traffic counts from then on.
  func run(
    _ target: DeviceTarget, chain: Signal<Void>?, follow: @escaping @Sendable (RunWait) -> Void,
    begin: @escaping @Sendable () -> Void
  ) -> Signal<Bool> {
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
      try await readLateValues(follow)
      // By now bluetoothd has read the Device Name. If it exports Generic Access, so has this
      // recording.
      let name = service.name
      change { recording in
        if let name { recording.learn(deviceName: name) }
        recording.learnGenericAccess()
      }
      if let pairing {
        follow(RunWait(what: "pairing", begun: loop.now))
        try await service.pair(pairing).timeout(limit, "pairing").run { _ in }
        change { $0.pairing = .tried(pairing.secret == nil ? .justWorks : .passkeyEntry) }
        try await readProtected()
      }
      begin()
      if let notifying {
        follow(RunWait(what: "receiving notifications", begun: loop.now, limit: notifying))
        let over = Signal.just(()).delay(notifying)
        let chained = chain?.catchError { failure in
          self.state.withLock { $0.chainFailure = failure }
          return .just(())
        }.map { self.enter(.listening) }
        let work = (chained.map { Signal.zip($0, over).map { _ in } } ?? over).map {
          // Before disconnecting, during which no values arrive.
          let end = loop.now - self.begun
          self.change { $0.observedUntil = end }
        }
        let listening = Signal.just(()).flattenMap {
          self.enter(chain == nil ? .listening : .chained)
          return work
        }
        while try await isRefused(whileSubscribed(listening)) {
          try await connect()
          begin()
        }
        if let failure = state.withLock({ $0.chainFailure }) { throw failure }
      } else if let chain {
        try await ended(chain).run { _ in }
      }
      // Other users of the connection keep it.
      try await service.endAllUses().run { _ in }
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
      if seen.isPaired, !device.unknown.contains(Self.paired) { device.unknown.append(Self.paired) }
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
          state.isOwn = origin == .made
          state.isAnother = candidate.map { !state.isChosen($0) } ?? false
        }
        if origin != .found { self.change { $0.link.connecting.append(took) } }
      }
    guard !state.withLock({ $0.isAnother }) else {
      throw DeviceFailure(
        code: .notFound, class: .passing, operation: "recording", device: service.deviceDescription,
        meaning: "another device, which matches too, was connected in its place",
        hint:
          "name it by its address; if it changes that, move the others away, or pair with it first"
      )
    }
    guard recording != nil else {
      throw DeviceFailure(
        code: .notFound, class: .passing, operation: "recording", device: service.deviceDescription,
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

  /// A readable characteristic or descriptor.
  private struct Readable: Sendable {
    let handle: UInt16
    /// The name in output.
    let name: String
    let read: Signal<[UInt8]>
  }

  private func readables(_ matches: (RecordedReading?) -> Bool) -> [Readable] {
    guard let recording else { return [] }
    return recording.characteristics.flatMap { one -> [Readable] in
      guard let selector = recording.selector(of: one.handle, names: names) else { return [] }
      var all: [Readable] = []
      if one.properties.contains(.read), matches(one.reading) {
        let read = service.read(selector)
        all.append(Readable(handle: one.handle, name: "\(selector)", read: read))
      }
      for descriptor in one.descriptors where matches(descriptor.reading) {
        let twins = one.descriptors.filter { $0.uuid == descriptor.uuid }
        let own = DescriptorSelector(
          of: selector, descriptor: descriptor.uuid,
          instance: twins.count > 1 ? twins.firstIndex { $0.handle == descriptor.handle } : nil
        )
        let read = service.readDescriptor(own)
        all.append(Readable(handle: descriptor.handle, name: "\(own)", read: read))
      }
      return all
    }
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
      let reading: RecordedReading
      do {
        reading = try await self.reading(of: one, within: readLimit)
      } catch let failure as DeviceFailure where failure.code == .linkLost {
        change {
          $0.learn(.unknown("the connection dropped when it was read"), of: one.handle)
        }
        try await connect()
        continue
      }
      change { $0.learn(reading, of: one.handle) }
      guard case .unanswered = reading else { continue }
      // bluetoothd queues all requests behind one that needs a bond; a new connection has an empty
      // queue. A connection made by another program is not reset.
      unanswered += state.withLock { $0.isOwn } ? 1 : Self.mostUnanswered
      guard unanswered < Self.mostUnanswered else { continue }
      try await reconnect()
    }
  }

  private func reconnect() async throws {
    // The next connection begins with the advertised name again.
    if let name = service.name { change { $0.learn(deviceName: name) } }
    try await service.disconnect().run { _ in }
    try await connect()
  }

  /// Adds the details that the trace has so far.
  func completeFromTrace() {
    guard let traced = trace?.recording else { return }
    change { traced.complete(&$0) }
  }

  /// Reads unanswered values again with the full ATT timeout. A late answer comes before it; a read
  /// that bluetoothd holds back for a bond never completes.
  private func readLateValues(_ follow: @Sendable (RunWait) -> Void) async throws {
    completeFromTrace()
    guard readLimit < Self.longestRead, state.withLock({ $0.isOwn }) else { return }
    let late = readables { reading in
      switch reading {
      case .unanswered: true
      case .octets, .refused, .unknown, nil: false
      }
    }
    for one in late {
      let loop = service.scheduler.loop
      let begun = loop.now
      follow(RunWait(what: "waiting for \(one.name)", begun: begun, limit: Self.longestRead))
      let reading: RecordedReading
      do {
        reading = try await self.reading(of: one, within: Self.longestRead)
      } catch let failure as DeviceFailure where failure.class == .passing {
        reading = .unanswered
      }
      let took = loop.now - begun
      change { $0.learnLate(reading, after: took, of: one.handle) }
      try await reconnect()
    }
  }

  private func reading(of one: Readable, within limit: Duration) async throws -> RecordedReading {
    let loop = service.scheduler.loop
    let start = loop.now
    var octets: [UInt8] = []
    do {
      try await one.read.timeout(limit, "reading \(one.name)").run { octets = $0 }
    } catch let failure as DeviceFailure {
      // A dropped connection may carry an ATT error, but it is not a refusal.
      guard failure.code != .linkLost else { throw failure }
      if let code = failure.att { return .refused(code) }
      switch failure.code {
      case .timedOut: return .unanswered
      case .notPaired: return .refused(.insufficientAuthentication)
      case .notPermitted:
        let answer = failure.bluez.map { ErrorAnswer($0.name, $0.text) }
        let isUnauthorized = answer?.refusal == .notAuthorized
        return .refused(isUnauthorized ? .insufficientAuthorization : .readNotPermitted)
      case .notSupported: return .refused(.requestNotSupported)
      // open: codes
      default:
        guard failure.class == .definite else { throw failure }
        return .unknown(failure.meaning)
      }
    }
    let took = loop.now - start
    let value = RecordedValue(handle: one.handle, octets: octets, at: loop.now - begun)
    change { recording in
      recording.reads.append(value)
      if took <= readLimit, recording.link.latencies.count < RecordedLink.mostSamples {
        recording.link.latencies.append(took)
      }
    }
    return .octets(octets)
  }

  /// Reads again what was refused before pairing. The refusal is kept: a client without a bond gets
  /// it.
  private func readProtected() async throws {
    let refused = readables { reading in
      switch reading {
      case .refused, .unanswered: true
      case .octets, .unknown, nil: false
      }
    }
    for one in refused {
      guard case .octets(let octets) = try await reading(of: one, within: readLimit) else {
        continue
      }
      change { $0.learnProtected(octets, of: one.handle) }
    }
  }

  /// Disconnects after the work, even if it failed: a chain would keep the connection.
  private func ended(_ work: Signal<Void>) -> Signal<Void> {
    work.finally { [self] in
      guard state.withLock({ $0.isOwn }) else { return }
      try await service.disconnect().run { _ in }
    }
  }

  // MARK: Notifications

  private func enter(_ phase: Phase) { state.withLock { $0.phase = phase } }

  /// The error for a refused subscription without a bond, after which the device may have
  /// disconnected.
  private struct Refusal: Error {}

  /// Runs work that subscribes, then disconnects.
  ///
  /// - Returns: Whether a subscription was refused, so that the work must be repeated; false once
  ///   it is done.
  private func isRefused(_ work: Signal<Void>) async throws -> Bool {
    enter(.subscribing)
    do {
      try await ended(work).run { _ in }
      return false
    } catch {
      // On a dropped connection, ending the other subscriptions may fail, too.
      let cause = (error as? FailedWithCleanUp)?.cause ?? error
      if cause is Refusal { return true }
      // The chain may have met the dropped connection first; its failure says more.
      guard cause is DeviceFailure else { throw error }
      throw state.withLock { $0.chainFailure } ?? error
    }
  }

  /// Runs work while every notifying characteristic is subscribed to, and unsubscribes when it
  /// ends.
  private func whileSubscribed(_ work: Signal<Void>) -> Signal<Void> {
    let refused = state.withLock { $0.refused }
    let sources = (recording?.listedServices ?? []).flatMap(\.characteristics).filter {
      !$0.properties.isDisjoint(with: [.notify, .indicate]) && !refused.contains($0.handle)
    }
    return sources.reversed().reduce(work) { work, one in
      guard let selector = recording?.selector(of: one.handle, names: names) else { return work }
      return service.subscribe(selector).map { self.loss(of: $0, selector) }
        .catchError { error in
          guard let failure = error as? DeviceFailure, failure.class == .definite else {
            return .failure(error)
          }
          self.change {
            $0.unknown.append(
              "what \(selector) sends: it cannot be subscribed to (\(failure.meaning))"
            )
          }
          self.state.withLock { _ = $0.refused.insert(one.handle) }
          return failure.code == .notPaired ? .failure(Refusal()) : .just(.empty())
        }
        .flattenMap { .merge($0, work) }
    }
    .take(1)
  }

  /// A signal that sends nothing and fails if the subscription ends. RecordedTraffic reads the
  /// values from the bus, together with those that a chain receives.
  private func loss(
    of stream: Signal<NotifiedValue>, _ selector: CharacteristicSelector
  ) -> Signal<Void> {
    stream.filter { _ in false }.map { _ in }.catchError { error in
      switch self.state.withLock({ $0.phase }) {
      case .subscribing: return .empty()
      // The chain continues: it fails by itself if it needs the subscription.
      case .chained: break
      case .listening: return .failure(error)
      }
      let code = RunFailure(error).code.rawValue
      self.change {
        $0.unknown.append("what \(selector) sent later: its subscription ended (\(code))")
      }
      return .empty()
    }
  }
}

extension RecordedAdvertisement {
  /// Adds the fields of an advertisement, as bluetoothd merged them.
  fileprivate mutating func add(_ seen: Advertisement) {
    hasName = hasName || seen.name != nil
    for service in seen.advertisedServices ?? [] where !services.contains(service) {
      services.append(service)
    }
    txPower = seen.txPower ?? txPower
    for (company, data) in seen.manufacturerData { Self.add(company, data, to: &manufacturerData) }
    for (service, data) in seen.serviceData { Self.add(service, data, to: &serviceData) }
    // bluetoothd reports -127 if the controller did not measure the RSSI.
    if let strength = seen.rssi, strength != -127, rssi.count < Self.mostSamples {
      rssi.append(strength)
    }
  }
}

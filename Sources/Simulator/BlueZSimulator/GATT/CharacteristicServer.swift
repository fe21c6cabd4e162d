// One GattCharacteristic1 object: passes calls to the device, and notifications to clients.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

final class CharacteristicServer: Sendable {
  let entry: CharacteristicEntry
  let path: ObjectPath
  private let service: ObjectPath
  /// bluetoothd has claimed the service, and clients cannot write.
  private let isReadOnly: Bool
  private let access: AttributeAccess
  private let state: Confined<CharacteristicState<Invocation>>
  private let sockets: Confined<Sockets>

  /// The acquired sockets.
  private struct Sockets {
    var notify: AcquiredSocket?
    var write: AcquiredSocket?
  }

  init(
    _ entry: CharacteristicEntry, of service: ObjectPath, isReadOnly: Bool, access: AttributeAccess
  ) {
    self.entry = entry
    self.service = service
    self.isReadOnly = isReadOnly
    self.access = access
    state = Confined(CharacteristicState(), to: access.host.loop)
    sockets = Confined(Sockets(), to: access.host.loop)
    path = BlueZPath.characteristic(declaration: entry.declaration, of: service)
  }

  // MARK: The object

  /// The interface, with the properties that bluetoothd exports.
  var interface: ExportedInterface {
    let (entry, service, access) = (entry, service, access)
    return GattCharacteristic1.declaration.exported(
      by: access.host.settings.version, methods: methods,
      properties: [
        ExportedProperty(GattCharacteristic1.handle) { entry.declaration },
        ExportedProperty(GattCharacteristic1.uuid) { entry.uuid },
        ExportedProperty(GattCharacteristic1.service) { service },
        property(GattCharacteristic1.value) { $0.value.octets },
        property(GattCharacteristic1.notifying) { $0.isNotifying },
        ExportedProperty(GattCharacteristic1.flags) { entry.properties },
        property(GattCharacteristic1.writeAcquired) { $0.writeAcquisition.isAcquired },
        property(GattCharacteristic1.notifyAcquired) { $0.notifyAcquisition.isAcquired },
        property(GattCharacteristic1.mtu) { _ in UInt16(access.mtu) },
      ]
    )
  }

  /// A property that is present if its declaration requires it.
  private func property<Value>(
    _ property: Property<Value>,
    _ read: @escaping @Sendable (Confined<CharacteristicState<Invocation>>) -> Value
  ) -> ExportedProperty {
    let (entry, access) = (entry, access)
    return ExportedProperty(property) {
      let isThere =
        switch property.presence {
        case .always, .known, .discovered, .experimental: true
        case .connected: access.link().isConnected
        case .having(let any): !entry.properties.isDisjoint(with: any)
        }
      return isThere ? read(self.state) : nil
    }
  }

  private var methods: [ExportedMethod] {
    [
      ExportedMethod(GattCharacteristic1.readValue, read),
      ExportedMethod(GattCharacteristic1.writeValue) { self.write($0.0, $0.1, $1) },
      ExportedMethod(GattCharacteristic1.acquireWrite) { self.acquireWrite($1) },
      ExportedMethod(GattCharacteristic1.acquireNotify) { self.acquireNotify($1) },
      ExportedMethod(GattCharacteristic1.startNotify, startNotify),
      ExportedMethod(GattCharacteristic1.stopNotify, stopNotify),
    ]
  }

  private func mark<Value>(_ property: Property<Value>) {
    access.host.server.changed(property, at: path)
  }

  private func observe(_ event: SimulatorEvent) { access.host.observe(event, at: entry.handle) }

  // MARK: Reading

  @Sendable private func read(_ options: PropertyMap, _ call: Invocation) {
    guard let options = AccessOptions(options) else {
      return call.refuse(.invalidArguments)
    }
    let isConnected = access.link().isConnected
    let offset = options.offset
    switch state.value.read(call, offset: offset, isConnected: isConnected) {
    case .refuse(let answer): return call.refuse(answer)
    case .wait: return
    case .ask: break
    }
    let (device, handle) = (access.device, entry.handle)
    access.submit(.read(entry.uuid, handle: entry.handle)) { answer in
      self.observe(.read(self.access.address, self.entry.uuid))
      device.read(handle, from: offset, answer)
    } _: { result in
      self.endReading(result)
    }
  }

  private func endReading(_ result: Result<[UInt8], ATTErrorCode>) {
    switch result {
    case .success(let value):
      let calls = state.value.endReading(value)
      access.host.server.announce(GattCharacteristic1.value, at: path)
      for call in calls { call.reply(to: GattCharacteristic1.readValue, value) }
    case .failure(let code):
      for call in state.value.endReading(nil) { call.refuse(by: code) }
    }
  }

  // MARK: Writing

  private func write(_ value: [UInt8], _ options: PropertyMap, _ call: Invocation) {
    guard let options = AccessOptions(options) else {
      return call.refuse(.invalidArguments)
    }
    if isReadOnly { return call.refuse(.notAuthorized) }
    guard access.link().isConnected else { return call.refuse(.gattNotConnected) }
    if state.writeAcquisition.isAcquired { return call.refuse(.writeAcquired) }
    if state.isWriting { return call.refuse(.inProgress) }
    switch WriteRequest.decide(value, options, entry.properties, mtu: access.mtu) {
    case .failure(let answer): call.refuse(answer)
    case .success(.command):
      // bluetoothd replies as soon as the command is queued.
      call.reply()
      command(value)
    case .success(.request):
      request(value, at: options.offset, call)
    }
  }

  private func command(_ value: [UInt8]) {
    let latency = access.host.settings.link(access.device.definition.link.latency)
    access.pace.send(value.count, latency: latency) { [weak self] in
      guard let self, access.link().isConnected,
        access.device.nextFault(.command(entry.uuid, handle: entry.handle)).outcome.takesEffect
      else { return }
      observe(.written(access.address, entry.uuid, value))
      access.device.write(entry.handle, value, withResponse: false) { _ in }
    }
  }

  private func request(_ value: [UInt8], at offset: Int, _ call: Invocation) {
    state.isWriting = true
    let (device, handle) = (access.device, entry.handle)
    access.submit(.write(entry.uuid, handle: entry.handle), value) { answer in
      self.observe(.written(self.access.address, self.entry.uuid, value))
      device.write(handle, value, at: offset, withResponse: true, answer)
    } _: { (result: Result<Void, ATTErrorCode>) in
      self.state.isWriting = false
      switch result {
      case .success: call.reply()
      case .failure(let code): call.refuse(by: code)
      }
    }
  }

  // MARK: Subscribing

  @Sendable private func startNotify(_ call: Invocation) {
    switch state.contents.startNotify(call.caller, entry.properties, access.link()) {
    case .refuse(let answer): call.refuse(answer)
    case .answer: call.reply()
    case .ask:
      subscribe { result in
        let isAccepted = (try? result.get()) != nil
        let isChanged = self.state.contents.subscribed(call.caller, isAccepted)
        if isChanged { self.mark(GattCharacteristic1.notifying) }
        if isAccepted || isChanged { self.unsubscribeIfUnused() }
        switch result {
        case .success: call.reply()
        case .failure(let code): call.refuse(by: code)
        }
      }
    }
  }

  @Sendable private func stopNotify(_ call: Invocation) {
    if state.notifyAcquisition.isAcquired {
      releaseNotify()
      // Also releases an acquisition that waits for its socket or never gets it.
      if state.notifyAcquisition.isAcquired { freeNotify() }
      unsubscribe()
      return call.reply()
    }
    guard let isLast = state.contents.stopNotify(call.caller) else {
      return call.refuse(.noNotifySession)
    }
    if isLast { endListening() }
    call.reply()
  }

  func clientLeft(_ client: String) {
    state.notifyAcquisition.clientLeft(
      client, isAnswered: access.host.settings.version.has(.acquireFailures)
    )
    if state.contents.stopNotify(client) == true { endListening() }
  }

  private func endListening() {
    mark(GattCharacteristic1.notifying)
    unsubscribe()
  }

  /// Notifications are preferred over indications.
  private var mode: SubscriptionMode {
    entry.properties.contains(.notify) ? .notification : .indication
  }

  /// Writes the configuration. A characteristic without one sends its values unasked, and counts as
  /// subscribed.
  ///
  /// - Source: BlueZ 5.66, `src/shared/gatt-client.c` (notify_chrc_create).
  private func subscribe(_ done: @escaping @Sendable (Result<Void, ATTErrorCode>) -> Void) {
    guard entry.configuration != nil else { return done(.success(())) }
    let (device, handle, mode) = (access.device, entry.handle, mode)
    access.submit(.subscribe(entry.uuid, handle: entry.handle)) { answer in
      self.observe(.subscribed(self.access.address, self.entry.uuid))
      answer(device.subscribe(handle, mode))
    } _: { result in
      done(result)
    }
  }

  private func unsubscribe() {
    guard access.link().isConnected, entry.configuration != nil else { return }
    observe(.unsubscribed(access.address, entry.uuid))
    // All subscribers share one configuration: bluetoothd's own subscription ends, too.
    state.isKept = false
    _ = access.device.subscribe(entry.handle, nil)
  }

  /// Unsubscribes if all clients stopped or left while the device handled the request.
  private func unsubscribeIfUnused() {
    if state.listeners.isEmpty { unsubscribe() }
  }

  /// Subscribes on behalf of bluetoothd itself, until the connection or a client's subscription
  /// ends. This subscription is not counted.
  /// - Source: recorded from bluetoothd 5.66, whose parts each count their own subscriptions.
  func keepSubscribed() {
    state.isKept =
      entry.configuration == nil || (try? access.device.subscribe(entry.handle, mode).get()) != nil
  }

  func linkDown() { state.isKept = false }

  /// Restores kept sessions on a new connection.
  func resume() {
    guard !state.listeners.isEmpty else { return }
    subscribe { result in
      let isAccepted = (try? result.get()) != nil
      // The drop of the new connection does not count as a refusal.
      guard isAccepted || self.access.link().isConnected else { return }
      if self.state.contents.resumed(isAccepted) { self.mark(GattCharacteristic1.notifying) }
      if isAccepted { self.unsubscribeIfUnused() }
    }
  }

  func forget() { state.contents.forget() }

  /// Signals a value from the device, once per client that called StartNotify, even if that call is
  /// still pending. An acquisition that has no socket drops the value.
  ///
  /// - Source: BlueZ 5.66, `src/shared/gatt-client.c` (notify_handler), `src/gatt-client.c`
  ///   (notify_io_cb). Values before the answer were not recorded from bluetoothd.
  func notified(_ value: [UInt8]) {
    if !state.listeners.isEmpty || state.notifyAcquisition.isAcquired || !state.isKept {
      observe(.notified(access.address, entry.uuid, value))
    }
    if let socket = sockets.notify { return socket.send(value) }
    if !state.listeners.isEmpty { state.value.octets = value }
    for _ in state.listeners {
      access.host.server.announce(GattCharacteristic1.value, at: path)
    }
  }

  // MARK: Acquiring

  private func acquireNotify(_ call: Invocation) {
    let caller = Acquisition.Caller(client: call.caller, serial: call.message.serial)
    let step = state.contents.acquireNotify(
      caller, entry.properties, access.link(),
      indications: access.host.settings.version.has(.acquiredIndications)
    )
    if case .refuse(let answer) = step { return call.refuse(answer) }
    subscribe { result in
      switch result {
      case .success: self.acquired(caller, call)
      case .failure(let code):
        let isAnswered = self.access.host.settings.version.has(.acquireFailures)
        if self.state.notifyAcquisition.failed(caller, isAnswered: isAnswered) {
          self.mark(GattCharacteristic1.notifyAcquired)
          call.refuse(by: code)
        }
      }
    }
  }

  /// Creates the socket after the device accepted the subscription.
  private func acquired(_ caller: Acquisition.Caller, _ call: Invocation) {
    guard state.notifyAcquisition == .pending(caller) else {
      // The call was cancelled by StopNotify, or its client left.
      unsubscribeIfUnused()
      return
    }
    let pair = AcquiredSocket.pair(access.nextSocket(), on: access.host.loop) { _ in
    } released: {
      self.releaseNotify()
      self.unsubscribe()
    }
    guard let (socket, other) = pair else {
      state.notifyAcquisition = .stuck
      return call.refuse(.noDescriptors)
    }
    sockets.notify = socket
    state.notifyAcquisition = .held
    mark(GattCharacteristic1.notifyAcquired)
    call.reply(to: GattCharacteristic1.acquireNotify, (other, UInt16(access.mtu)))
  }

  private func acquireWrite(_ call: Invocation) {
    let step = state.contents.acquireWrite(entry.properties, access.link(), isReadOnly: isReadOnly)
    if case .refuse(let answer) = step {
      return call.refuse(answer)
    }
    let pair = AcquiredSocket.pair(access.nextSocket(), on: access.host.loop) { value in
      self.command(value)
    } released: {
      self.releaseWrite()
    }
    guard let (socket, other) = pair else {
      state.writeAcquisition = .stuck
      return call.refuse(.noDescriptors)
    }
    sockets.write = socket
    state.writeAcquisition = .held
    mark(GattCharacteristic1.writeAcquired)
    call.reply(to: GattCharacteristic1.acquireWrite, (other, UInt16(access.mtu)))
  }

  /// Closes each acquired socket, with the number that orders them.
  var releases: [(number: UInt64, release: @Sendable () -> Void)] {
    (sockets.notify.map { [($0.number, releaseNotify)] } ?? [])
      + (sockets.write.map { [($0.number, releaseWrite)] } ?? [])
  }

  @Sendable private func releaseNotify() {
    guard let socket = sockets.notify.take() else { return }
    socket.close()
    freeNotify()
  }

  private func freeNotify() {
    state.notifyAcquisition = .free
    mark(GattCharacteristic1.notifyAcquired)
  }

  @Sendable private func releaseWrite() {
    guard let socket = sockets.write.take() else { return }
    socket.close()
    state.writeAcquisition = .free
    mark(GattCharacteristic1.writeAcquired)
  }
}

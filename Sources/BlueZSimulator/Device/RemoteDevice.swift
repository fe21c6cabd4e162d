// One simulated device as bluetoothd sees it: the object Device1, its link and its attributes.
//
// The link is decided by LinkMachine; this carries its actions out (RemoteDevice+Link.swift).

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// A device in the air, and its object on the bus while it is known.
final class RemoteDevice: Sendable {
  struct State {
    var known: KnownDevice
    var machine = LinkMachine<WaitingCall>()
    /// Whether the object is on the bus.
    var isExported = false
    /// Whether the attributes are on the bus: they stay through disconnections.
    var areAttributesExported = false
    /// The level of the battery, in percent, while Battery1 is there.
    var battery: UInt8?
    var resolution = ServiceResolution.inOrder
    /// Counts the links whose services were told of early.
    var links = 0
    /// Whether the services of the present link could not be read.
    var isDiscoveryRefused = false
    /// The attempt to connect that waits for the device to be there.
    var searching: Int?
    /// Whether the device is there to be heard and connected to.
    var isInAir = true
    var pairing = PairingMachine<WaitingCall>()
    /// Pair, while it makes the link, and who called it.
    var pairingToCome: (call: WaitingCall, client: String)?
    /// The agent of the present pairing, and what it was asked last.
    var agent: Agent?
    /// What the default agent could do when the link was made: pairings that a request begins go by
    /// that. Recorded from bluetoothd 5.66.
    var linkCapability = IOCapability.noInputNoOutput
    var question: Int?
    /// Who waits for the services after pairing.
    var paired: [WaitingCall] = []
    var temporaryTimer: Timer?
    /// Why the link ends, if it does now.
    var end = LinkEnd.local
  }

  let device: SimulatedDevice
  /// What it is heard under, and its type.
  let address: BluetoothAddress
  let addressType: AddressType
  let path: ObjectPath
  let adapter: ObjectPath
  let host: Host
  let state: Guarded<State>
  /// Set once, while the device is put together.
  private let parts = Guarded<(queue: RequestQueue, attributes: AttributeServer)?>(nil)

  /// - Parameter stored: What was kept of it; nil: it is not known.
  init(
    _ device: SimulatedDevice,
    _ address: BluetoothAddress,
    _ addressType: AddressType,
    adapter: ObjectPath,
    host: Host,
    stored: StoredDevice? = nil
  ) {
    self.device = device
    self.address = address
    self.addressType = addressType
    self.adapter = adapter
    self.host = host
    path = BlueZPath.device(address, of: adapter)
    var first = State(known: stored?.known ?? KnownDevice(address, addressType))
    first.pairing = PairingMachine(bond: stored?.bond ?? .none)
    first.isExported = stored != nil
    state = Guarded(first)
    let queue = RequestQueue(to: device, host: host) { [weak self] isGone in
      if isGone { self?.vanish() } else { self?.loseLink() }
    }
    let access = AttributeAccess(
      host: host,
      device: device,
      queue: queue,
      secure: { [weak self] code, request in self?.secure(code, request) ?? false },
      link: { [weak self] in
        self?.linkView ?? AttributeAccess.LinkView(isConnected: false, isClosing: false)
      }
    )
    let attributes = AttributeServer(of: path, access: access)
    parts.withLock { $0 = (queue, attributes) }
    // Over another adapter there may be a link already.
    if !device.isLinked { listen() }
  }

  /// Hears what the device sends. Of several addresses of a device, the one with the link does.
  func listen() {
    device.onNotification { [weak self] handle, value in
      self?.attributes?.notified(handle, value)
      self?.notifiedBattery(handle, value)
    }
  }

  var queue: RequestQueue? { parts.withLock { $0?.queue } }
  var attributes: AttributeServer? { parts.withLock { $0?.attributes } }
  /// Whether there is no link, and none is being made.
  var isIdle: Bool { state.withLock { $0.machine.phase == .idle } }
  var isConnected: Bool { state.withLock { $0.machine.isConnected } }

  /// The strength in dBm of the link, drawn anew; nil when there is none.
  func linkRSSI() -> Int? { isConnected ? device.linkRSSI() : nil }
  var isTemporary: Bool { state.withLock { $0.known.isTemporary } }
  var isExported: Bool { state.withLock { $0.isExported } }

  private var linkView: AttributeAccess.LinkView {
    let machine = state.withLock { $0.machine }
    return AttributeAccess.LinkView(
      isConnected: machine.isConnected,
      isClosing: machine.isClosing
    )
  }

  func mark(_ property: String) {
    host.server.changed(property, of: Device1.interface, at: path)
  }

  // MARK: The object

  var interface: ExportedInterface {
    typealias Method = Device1.Method
    return ExportedInterface(
      Device1.interface,
      methods: [
        ExportedMethod(Method.disconnect) { self.disconnect($0) },
        ExportedMethod(Method.connect) { self.connect($0) },
        // Profiles are of BR/EDR, which the adapter has not.
        ExportedMethod(Method.connectProfile, takes: [.init("UUID", "s")]) {
          $0.refuse(.profileSearchFailed)
        },
        ExportedMethod(Method.disconnectProfile, takes: [.init("UUID", "s")]) {
          $0.refuse(.invalidArguments)
        },
        ExportedMethod(Method.pair) { self.pair($0) },
        ExportedMethod(Method.cancelPairing) { self.cancelPairing($0) },
      ],
      properties: Self.described.map(property)
    )
  }

  /// All that bluetoothd describes, in its order; those after it has no value for are not there.
  private static let described: [String] = {
    typealias Property = Device1.Property
    return [
      Property.address, Property.addressType, Property.name, Property.alias, Property.deviceClass,
      Property.appearance, Property.icon, Property.paired, Property.bonded, Property.trusted,
      Property.blocked, Property.legacyPairing, Property.rssi, Property.connected, Property.uuids,
      Property.modalias, Property.adapter, Property.manufacturerData, Property.serviceData,
      Property.txPower, Property.servicesResolved, Property.wakeAllowed,
    ]
  }()

  private func property(_ name: String) -> ExportedProperty {
    let set: ExportedProperty.Setter?
    switch name {
    case Device1.Property.wakeAllowed: set = { _, call in call.refuse(.notSupported) }
    case Device1.Property.alias:
      set = change(name) { known, value in
        let alias = value.asString ?? ""
        known.alias = alias.isEmpty ? nil : alias
      }
    case Device1.Property.trusted:
      set = change(name) { known, value in known.isTrusted = value.asBool ?? false }
    case Device1.Property.blocked:
      set = { value, call in self.setBlocked(value.asBool ?? false, call) }
    default: set = nil
    }
    return ExportedProperty(name, Self.signature(of: name), set: set) { self.value(of: name) }
  }

  private func change(
    _ name: String,
    _ change: @escaping @Sendable (inout KnownDevice, DBusValue) -> Void
  ) -> ExportedProperty.Setter {
    { value, call in
      let isChanged = self.state.withLock { state in
        let before = state.known.value(of: name)
        change(&state.known, value)
        return state.known.value(of: name) != before
      }
      if isChanged { self.mark(name) }
      call.reply()
    }
  }

  private func value(of name: String) -> DBusValue? {
    state.withLock { state in
      switch name {
      case Device1.Property.connected: .boolean(state.machine.isConnected)
      case Device1.Property.servicesResolved: .boolean(state.machine.isResolved)
      case Device1.Property.adapter: .objectPath(adapter)
      default: state.known.value(of: name)
      }
    }
  }

  private static func signature(of name: String) -> Signature {
    switch name {
    case Device1.Property.address, Device1.Property.addressType, Device1.Property.name,
      Device1.Property.alias, Device1.Property.icon, Device1.Property.modalias:
      "s"
    case Device1.Property.deviceClass: "u"
    case Device1.Property.rssi, Device1.Property.txPower: "n"
    case Device1.Property.appearance: "q"
    case Device1.Property.uuids: "as"
    case Device1.Property.adapter: "o"
    case Device1.Property.manufacturerData: "a{qv}"
    case Device1.Property.serviceData: "a{sv}"
    default: "b"
    }
  }

  // MARK: Discovery

  /// An advertisement was heard while somebody discovers.
  ///
  func heard(_ data: AdvertisedData, tellsAll: Bool, threshold: Int) {
    let (changed, isNew) = state.withLock { state -> ([String], Bool) in
      let changed = state.known.heard(data, tellsAll: tellsAll, threshold: threshold)
      defer { state.isExported = true }
      return (changed, !state.isExported)
    }
    if isNew {
      host.server.add([interface], at: path)
    } else {
      for name in changed { mark(name) }
    }
    expectSilence()
  }

  /// Nobody discovers any more.
  func unheard() {
    for name in state.withLock({ $0.known.unheard() }) { mark(name) }
  }

  /// Forgets a temporary device some time after it was last heard.
  private func expectSilence() {
    let timer = host.loop.after(host.settings.temporaryTimeout) { [weak self] in
      self?.silent()
    }
    let before = state.withLock { state in
      defer { state.temporaryTimer = timer }
      return state.temporaryTimer
    }
    before?.cancel()
    if state.withLock({ !$0.known.isTemporary || !$0.isExported }) { timer.cancel() }
  }

  private func silent() {
    let isForgotten = state.withLock { state in
      state.known.isTemporary && state.isExported && state.machine.phase == .idle
    }
    if isForgotten { forget() }
  }

  /// Removes the object and what is below it, after all that happened to it was told.
  func forget() {
    host.server.flush()
    let (wasExported, hadAttributes) = state.withLock { state in
      defer {
        state.isExported = false
        state.areAttributesExported = false
        state.known = KnownDevice(address, addressType)
        state.pairing.forget()
      }
      return (state.isExported, state.areAttributesExported)
    }
    if hadAttributes { attributes?.remove() }
    if wasExported { host.server.remove(path) }
  }

  /// The simulation is over: nothing is due any more.
  func stop() {
    let timer = state.withLock { state in
      defer { state.temporaryTimer = nil }
      return state.temporaryTimer
    }
    timer?.cancel()
    perform { $0.stopped() }
    queue?.stop()
    if !device.isLinked { device.onNotification { _, _ in } }
  }

  func clientLeft(_ client: String) {
    attributes?.clientLeft(client)
    pairingClientLeft(client)
  }
}

// One simulated device as bluetoothd sees it: the object Device1, its link and its attributes.
//
// The link is decided by LinkMachine; its actions are carried out in RemoteDevice+Link.swift. What
// the object has is in RemoteDevice+Interface.swift.

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
    var temporaryTimer: LoopTimer?
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

  /// Reports that a property has changed.
  func mark(_ property: any AnyProperty) { host.server.changed(property, at: path) }

  // MARK: Discovery

  /// An advertisement was heard while somebody discovers.
  func heard(_ data: AdvertisedData, tellsAll: Bool, threshold: Int) {
    let (changed, isNew) = state.withLock { state -> ([any AnyProperty], Bool) in
      let changed = state.known.heard(data, tellsAll: tellsAll, threshold: threshold)
      defer { state.isExported = true }
      return (changed, !state.isExported)
    }
    if isNew {
      host.server.add([interface], at: path)
    } else {
      for property in changed { mark(property) }
    }
    expectSilence()
  }

  /// Nobody discovers any more.
  func unheard() {
    for property in state.withLock({ $0.known.unheard() }) { mark(property) }
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

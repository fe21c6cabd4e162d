// One simulated device as bluetoothd sees it: the object Device1, its link and its attributes.
//
// LinkMachine decides about the link; RemoteDevice+Link.swift performs its actions. The object's
// members are in RemoteDevice+Interface.swift.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// A device in range, and its object on the bus while it is known.
final class RemoteDevice: Sendable {
  struct State {
    /// Both are set while the device is assembled.
    var queue: RequestQueue?
    var attributes: AttributeServer?
    var known: KnownDevice
    var machine = LinkMachine<WaitingCall>()
    /// Whether the object is on the bus.
    var isExported = false
    /// Whether the attributes are on the bus: they stay after disconnections.
    var areAttributesExported = false
    /// The battery level in percent, while Battery1 exists.
    var battery: UInt8?
    var resolution = ServiceResolution.inOrder
    /// Counts the connections whose services were announced early.
    var links = 0
    /// Whether the services of the current connection could not be read.
    var isDiscoveryRefused = false
    /// The connection attempt that waits for the device to be in range.
    var searching: Int?
    var isInAir = true
    /// Whether the device made the current connection, as a central.
    var isAccepted = false
    var pairing = PairingMachine<WaitingCall>()
    /// A pending Pair that is still connecting, and its caller.
    var pairingToCome: (call: WaitingCall, client: String)?
    /// The agent of the current pairing, and its last request.
    var agent: Agent?
    /// The capability of the default agent when the connection was made: used for pairings that a
    /// request starts. Recorded from bluetoothd 5.66.
    var linkCapability = IOCapability.noInputNoOutput
    var question: Int?
    /// The number of the device's keys that the bond was made with.
    var keyring = 0
    /// Callers that wait for the services after pairing.
    var paired: [WaitingCall] = []
    /// Other programs that wait for the services.
    var resolvedWaiters: [@Sendable () -> Void] = []
    var temporaryTimer: LoopTimer?
    /// The reason if the connection ends now.
    var end = LinkEnd.local
  }

  let device: SimulatedDevice
  let address: BluetoothAddress
  let addressType: AddressType
  let path: ObjectPath
  let adapter: ObjectPath
  let host: Host
  let state: Confined<State>
  /// Of an adapter of the room: how that adapter sees this one.
  private let counterpart: @Sendable () -> RemoteDevice?

  /// - Parameters:
  ///   - stored: The stored data; nil: the device is unknown.
  ///   - counterpart: Of an adapter of the room: finds how that adapter sees this one.
  init(
    _ device: SimulatedDevice, _ address: BluetoothAddress, _ addressType: AddressType,
    adapter: ObjectPath, host: Host, stored: StoredDevice? = nil,
    counterpart: @escaping @Sendable () -> RemoteDevice?
  ) {
    self.device = device
    self.counterpart = counterpart
    self.address = address
    self.addressType = addressType
    self.adapter = adapter
    self.host = host
    path = BlueZPath.device(address, of: adapter)
    var first = State(known: stored?.known ?? KnownDevice(address, addressType))
    first.pairing = PairingMachine(bond: stored?.bond ?? .none)
    first.keyring = stored?.keyring ?? 0
    first.isExported = stored != nil
    state = Confined(first, to: host.loop)
    let queue = RequestQueue(to: device, host: host) { [weak self] isGone in
      if isGone { self?.vanish() } else { self?.loseLink() }
    }
    let access = AttributeAccess(
      host: host, device: device, queue: queue,
      secure: { [weak self] code, request in self?.secure(code, request) ?? false },
      link: { [weak self] in
        self?.linkView ?? AttributeAccess.LinkView(isConnected: false, isClosing: false)
      },
      lastSocket: Confined(0, to: host.loop)
    )
    state.queue = queue
    state.attributes = AttributeServer(of: path, access: access)
    // Another adapter may already be connected to it.
    if !device.isLinked { listen() }
  }

  /// Receives what the device sends. Of several addresses of a device, the connected one does.
  func listen() {
    device.onNotification { [weak self] handle, value in
      self?.attributes?.notified(handle, value)
      self?.notifiedBattery(handle, value)
    }
  }

  var peer: RemoteDevice? { counterpart() }
  var queue: RequestQueue? { state.queue }
  var attributes: AttributeServer? { state.attributes }
  var isIdle: Bool { state.machine.phase == .idle }
  var isConnected: Bool { state.machine.isConnected }

  /// The RSSI in dBm of the connection, drawn again; nil when there is none.
  func linkRSSI() -> Int? { isConnected ? device.linkRSSI() : nil }
  var isTemporary: Bool { state.known.isTemporary }
  var isExported: Bool { state.isExported }

  private var linkView: AttributeAccess.LinkView {
    AttributeAccess.LinkView(
      isConnected: state.machine.isConnected, isClosing: state.machine.isClosing
    )
  }

  func mark(_ property: any AnyProperty) { host.server.changed(property, at: path) }

  // MARK: Discovery

  /// An advertisement was received while a client discovers.
  func observe(_ data: AdvertisedData, reportsAll: Bool, threshold: Int) {
    let changed = state.known.observe(data, reportsAll: reportsAll, threshold: threshold)
    if isExported {
      for property in changed { mark(property) }
    } else {
      state.isExported = true
      host.server.add([interface], at: path)
    }
    expectSilence()
  }

  /// No client discovers any more.
  func discoveryEnded() {
    for property in state.known.discoveryEnded() { mark(property) }
  }

  /// Removes a temporary device some time after it was last seen.
  private func expectSilence() {
    state.temporaryTimer?.cancel()
    state.temporaryTimer = nil
    guard isTemporary, isExported else { return }
    state.temporaryTimer = host.loop.after(host.settings.temporaryTimeout) { [weak self] in
      if let self, isTemporary, isExported, isIdle { forget() }
    }
  }

  /// Removes the object and everything below it, after its changes were announced.
  func forget() {
    host.server.flush()
    let (wasExported, hadAttributes) = (state.isExported, state.areAttributesExported)
    state.isExported = false
    state.areAttributesExported = false
    state.known = KnownDevice(address, addressType)
    state.pairing.forget()
    if hadAttributes { attributes?.remove() }
    if wasExported { host.server.remove(path) }
  }

  /// The simulation has ended: no timer remains.
  func stop() {
    state.temporaryTimer.take()?.cancel()
    state.resolvedWaiters = []
    perform { $0.stopped() }
    queue?.stop()
    if !device.isLinked { device.onNotification { _, _ in } }
  }

  func clientLeft(_ client: String) {
    attributes?.clientLeft(client)
    pairingClientLeft(client)
  }
}

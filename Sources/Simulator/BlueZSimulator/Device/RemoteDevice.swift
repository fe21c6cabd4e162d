// One simulated device in bluetoothd: its Device1 object, its link and its attributes.
//
// LinkMachine and PairingMachine decide; this class performs their actions.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// A simulated device, with its object on the bus while bluetoothd knows it.
final class RemoteDevice: Sendable {
  struct State {
    /// Set once, while the device is assembled.
    var queue: RequestQueue?
    var attributes: AttributeServer?
    var known: KnownDevice
    var machine: LinkMachine<WaitingCall>
    /// The connection whose services are resolved once the pairing that began with it has ended.
    var heldResolution: Int?
    /// RemoveDevice waits for the end of the connection, with which a pairing ends.
    var isBeingRemoved = false
    /// The present connection, or attempt, was made for a Pair.
    var isMadeByPair = false
    /// The object is on the bus.
    var isExported = false
    /// The last advertised name, which bluetoothd remembers beyond the object.
    ///
    /// - Source: BlueZ 5.66, `src/device.c` (device_store_cached_name, load_cached_name).
    var advertisedName: String?
    /// When the object was made.
    var madeAt = Instant.start
    /// The attributes are on the bus. They stay when the connection ends.
    var areAttributesExported = false
    /// Device Name and Appearance were read since the object was made.
    var isGenericAccessRead = false
    /// The battery level in percent; nil without Battery1.
    var battery: UInt8?
    var resolution = ServiceResolution.inOrder
    /// Counts the connections whose services were announced early.
    var links = 0
    /// The services of the current connection could not be read.
    var isDiscoveryRefused = false
    /// The number of the connection attempt that waits until the device is in range.
    var searching: Int?
    var isInAir = true
    /// The current connection was made by the device, as a central.
    var isAccepted = false
    /// The parameters of the present connection.
    var parameters = ConnectionParameters.ofNewLinks
    /// The PHY of the present connection, in both directions.
    var phy = PHY.oneMegabit
    /// The number of connections so far.
    var connections = 0
    var pairing = PairingMachine<WaitingCall>()
    /// A pending Pair that is still connecting, and its client.
    var pendingPair: (call: WaitingCall, client: String)?
    /// The agent of the current pairing, and its last request.
    var agent: Agent?
    /// The capability of the default agent when the connection was made. Pairings that a request
    /// starts use it. Recorded from bluetoothd 5.66.
    var linkCapability = IOCapability.noInputNoOutput
    var question: Int?
    /// The number of the device's keys that the bond was made with.
    var keyring = 0
    /// Pair calls that wait for the services.
    var paired: [WaitingCall] = []
    /// A new bond is announced together with the services.
    var isPairedPending = false
    /// Other programs' callbacks that wait for the services.
    var resolvedWaiters: [@Sendable () -> Void] = []
    var temporaryTimer: LoopTimer?
    /// The reason that is signalled if the connection ends now.
    var end = LinkEnd.local
  }

  let device: SimulatedDevice
  let address: BluetoothAddress
  let addressType: AddressType
  let path: ObjectPath
  let adapter: ObjectPath
  let host: Host
  let pace: PacedLink
  let state: Confined<State>
  /// The object that the device, if it is an adapter, has for this adapter.
  private let counterpart: @Sendable () -> RemoteDevice?

  /// - Parameters:
  /// - stored: The stored data; nil if the device is unknown.
  ///   - counterpart: Finds the object that the device, if it is an adapter, has for this adapter.
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
    var first = State(
      known: stored?.known ?? KnownDevice(address, addressType),
      machine: LinkMachine(host.settings.version)
    )
    first.pairing = PairingMachine(bond: stored?.bond ?? .none)
    first.keyring = stored?.keyring ?? 0
    first.isExported = stored != nil
    state = Confined(first, to: host.loop)
    let pace = PacedLink(on: host.loop)
    self.pace = pace
    let queue = RequestQueue(to: device, host: host, pace: pace) { [weak self] isGone in
      if isGone { self?.vanish() } else { self?.loseLink() }
    }
    let access = AttributeAccess(
      host: host, device: device, queue: queue, pace: pace,
      secure: { [weak self] code, request in self?.secure(code, request) ?? false },
      link: { [weak self] in
        self?.linkView ?? AttributeAccess.LinkView(isConnected: false, isClosing: false)
      },
      lastSocket: Confined(0, to: host.loop)
    )
    state.queue = queue
    state.attributes = AttributeServer(of: path, access: access)
    // Another adapter may already be connected to the device.
    if !device.isLinked { listen() }
  }

  /// Receives the device's notifications. With several addresses, the object that is connected does
  /// so.
  func listen() {
    device.onNotification { [weak self] handle, value in
      self?.pace.notify(value.count) { [weak self] in
        self?.attributes?.notified(handle, value)
        self?.notifiedBattery(handle, value)
      }
    }
  }

  var peer: RemoteDevice? { counterpart() }
  var queue: RequestQueue? { state.queue }
  var attributes: AttributeServer? { state.attributes }
  var isIdle: Bool { state.machine.phase == .idle }
  var isConnected: Bool { state.machine.isConnected }

  /// Draws an RSSI in dBm for the connection; nil if there is none.
  func linkRSSI() -> Int? { isConnected ? device.linkRSSI() : nil }

  /// The parameters of the connection; nil if there is none.
  var parameters: ConnectionParameters? { isConnected ? state.parameters : nil }

  /// Changes the parameters of the connection, and the speed that follows from its interval.
  func change(to parameters: ConnectionParameters) {
    state.parameters = parameters
    pace.change(parameters.interval)
  }

  /// The PHY of the connection; nil if there is none.
  var phy: PHY? { isConnected ? state.phy : nil }

  /// Changes the PHY of the connection, and the speed that follows from it.
  func change(to phy: PHY) {
    state.phy = phy
    pace.change(phy)
  }

  var isTemporary: Bool { state.known.isTemporary }
  var isExported: Bool { state.isExported }

  private var linkView: AttributeAccess.LinkView {
    AttributeAccess.LinkView(
      isConnected: state.machine.isConnected, isClosing: state.machine.isClosing
    )
  }

  /// Announces a changed property, if the simulated release has it.
  func mark(_ property: any AnyProperty) {
    if property.isDescribed(by: host.settings.version) {
      host.server.changed(property, at: path)
    }
  }

  // MARK: Discovery

  /// Applies an advertisement that was received in a scan.
  func observe(_ data: AdvertisedData, reportsAll: Bool, threshold: Int) {
    state.advertisedName = data.name?.endedAtNUL ?? state.advertisedName
    let changed = state.known.observe(
      data, reportsAll: reportsAll, threshold: threshold, by: host.settings.version
    )
    if isExported { for property in changed { mark(property) } }
    export()
    expectSilence()
  }

  /// Receives an advertisement that a pattern excludes: the object comes without its data.
  func appearWithoutData() {
    export()
    expectSilence()
  }

  /// Makes the object, if there is none.
  func export() {
    guard !isExported else { return }
    state.isExported = true
    state.madeAt = host.loop.now
    host.server.add(interfaces, at: path)
  }

  /// Applies the end of discovery.
  func discoveryEnded() {
    for property in state.known.discoveryEnded() { mark(property) }
  }

  /// Removes a temporary device if no further advertisement arrives in time.
  private func expectSilence() {
    state.temporaryTimer?.cancel()
    state.temporaryTimer = nil
    guard isTemporary, isExported else { return }
    state.temporaryTimer = host.loop.after(host.settings.temporaryTimeout) { [weak self] in
      if let self, isTemporary, isExported, isIdle { forget() }
    }
  }

  /// Removes the object and everything below it, after announcing the pending changes.
  func forget() {
    host.server.flush()
    let (wasExported, hadAttributes) = (state.isExported, state.areAttributesExported)
    state.isExported = false
    state.areAttributesExported = false
    state.isGenericAccessRead = false
    state.known = KnownDevice(address, addressType, name: state.advertisedName)
    state.pairing.forget()
    if hadAttributes { attributes?.remove() }
    if wasExported { host.server.remove(path) }
  }

  /// Ends the simulation of the device: no timer remains.
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

extension ConnectionParameters {
  /// The parameters that Linux requests by default.
  ///
  /// - Source: Linux 6.1, `net/bluetooth/hci_core.c` (hci_alloc_dev_priv: 30 ms, 0, 420 ms).
  static let ofNewLinks = ConnectionParameters(
    interval: .milliseconds(30), latency: 0, supervisionTimeout: .milliseconds(420)
  )
}

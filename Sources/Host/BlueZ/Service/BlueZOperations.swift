// The operations on one device, through bluetoothd.
//
// Each theme has its file: +Scanning, +Connecting, +Attributes, +Notifications. This one resolves
// the device, and turns errors into failures.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// Performs the operations on one device.
final class BlueZOperations: DeviceOperations {
  struct State {
    /// The object of the device, once it was found.
    var device: ObjectPath?
    /// The link to it, once it was used.
    var link: DeviceLink?
    /// The object that the last attempt could not connect to.
    var failed: ObjectPath?
    /// The address to which the search is restricted.
    var only: BluetoothAddress?
    /// The object that a scan has found to be the only one, or the strongest.
    var chosen: ObjectPath?
    /// The devices among which it was chosen; empty when there was one.
    var candidates: [DeviceCandidate] = []
    /// The device that the last connect found reserved by another run.
    var blockingUse: HeldLink?
    /// The adapter that was used last.
    var adapter: ObjectPath?
    /// The last name of the device, for failures after bluetoothd has removed it.
    var title: String?
    /// A fresh start was made, or was not requested.
    var isFresh = false
    var channels = ChannelCache()
    /// The device with which bluetoothd made a bond while this service connected to it.
    var bonded: ObjectPath?
    /// The device whose last pairing left no bond, because the adapter was not pairable.
    var unbonded: ObjectPath?
  }

  let client: BlueZClient
  let target: DeviceTarget
  let adapter: AdapterSelector
  let options: ConnectOptions
  let scheduler: SerialScheduler
  /// The keys that decrypt the advertised data of a scan.
  let bindKeys: BindKeys
  /// Measures connections; nil when not available.
  let meter: (any LinkMeter)?
  /// Receives notices, on the loop.
  let notify: @Sendable (ServiceNotice) -> Void
  let state = Guarded(State())

  init(
    client: BlueZClient, target: DeviceTarget, adapter: AdapterSelector, options: ConnectOptions,
    scheduler: SerialScheduler, bindKeys: BindKeys, meter: (any LinkMeter)?,
    notify: @escaping @Sendable (ServiceNotice) -> Void
  ) {
    precondition(
      client.loop === scheduler.loop, "the scheduler must be on the loop of the client's bus"
    )
    self.client = client
    self.target = target
    self.adapter = adapter
    self.options = options
    self.scheduler = scheduler
    self.bindKeys = bindKeys
    self.meter = meter
    self.notify = notify
  }

  var loop: Loop { client.loop }

  var deviceDescription: String {
    let (device, title) = state.withLock { ($0.device, $0.title) }
    return device.flatMap { self.title(of: $0) } ?? title ?? "\(target)"
  }

  var candidates: [DeviceCandidate] {
    let (several, device) = state.withLock { ($0.candidates, $0.device) }
    guard several.isEmpty, target.isPattern, let device else { return several }
    return client.withTree { $0.advertisement(of: device) }.map { seen in
      [DeviceCandidate(address: seen.address, name: seen.name, rssi: seen.rssi)]
    } ?? []
  }

  var name: String? {
    guard let device = state.withLock({ $0.device }) else { return nil }
    return client.withTree { $0.properties(Device1.interface, at: device)?[Device1.name] }
  }

  var hasBond: Bool {
    guard let device = state.withLock({ $0.device }) else { return false }
    let properties = client.withTree { $0.properties(Device1.interface, at: device) }
    return properties?[Device1.bonded] ?? properties?[Device1.paired] ?? false
  }

  var address: BluetoothAddress? {
    guard let device = state.withLock({ $0.device }) else { return nil }
    return client.withTree { $0.properties(Device1.interface, at: device)?[Device1.address] }
  }

  private func title(of device: ObjectPath) -> String? {
    client.withTree { tree in
      guard let known = tree.properties(Device1.interface, at: device),
        let address = known[Device1.address]
      else { return nil }
      return known[Device1.name].map { "\($0) (\(address))" } ?? "\(address)"
    }
  }

  /// The link to the device's object.
  func link(to device: ObjectPath) -> DeviceLink {
    let link = client.link(to: device, state.withLock { $0.link })
    state.withLock { $0.link = link }
    return link
  }

  /// The link to an object of the device, if it was ever used.
  private func usedLink(to device: ObjectPath) -> DeviceLink? {
    let former = state.withLock { $0.link }
    return client.state.withLock { $0.links[device] } ?? (former?.path == device ? former : nil)
  }

  /// Makes this object the device from now on.
  func bind(_ device: ObjectPath) {
    let title = title(of: device)
    state.withLock { state in
      state.device = device
      state.adapter = device.parent
      state.title = title
    }
  }

  // MARK: Operations

  /// Performs an operation, whose errors become failures.
  func explaining<Value: Sendable>(
    _ call: ErrorSituation.Call, _ title: String, attribute: String? = nil,
    _ body: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch {
      throw await explained(error, call, title, attribute: attribute)
    }
  }

  /// The failure for an error, with the operation and its device.
  func failure(
    _ error: any Error, _ call: ErrorSituation.Call, _ title: String, attribute: String? = nil,
    isWriteAcquiredLocally: Bool = false
  ) -> any Error {
    var situation = situation(call)
    situation.isWriteAcquiredLocally = isWriteAcquiredLocally
    let device = deviceDescription
    func failure(_ problem: Cause) -> DeviceFailure {
      problem.failure(of: title, device: device, attribute: attribute)
    }
    let failed = addingDisconnectReason(to: Cause(error, situation).map(failure) ?? error)
    return hostProblem(behind: failed, error).map(failure) ?? failed
  }

  /// A lost connection with the reason that bluetoothd reported, if any.
  private func addingDisconnectReason(to error: any Error) -> any Error {
    guard let failure = error as? DeviceFailure, failure.isOfLink,
      let device = state.withLock({ $0.device }),
      let reason = usedLink(to: device)?.disconnectReason
    else { return error }
    let meaning = "\(failure.meaning): \(reason.end.meaning) (\(reason.text))"
    return failure.ended(by: reason.end, meaning: meaning)
  }

  private func situation(_ call: ErrorSituation.Call) -> ErrorSituation {
    let device = state.withLock { $0.device }
    let link = device.flatMap { usedLink(to: $0) }
    var situation = situation(call, device)
    situation.wasDisconnected = link?.state.withLock { $0.machine.ending } == .disconnected
    return situation
  }

  private func situation(_ call: ErrorSituation.Call, _ device: ObjectPath?) -> ErrorSituation {
    client.withTree { tree in
      let adapters = tree.adapters.filter { adapter.names($0) }
      let own = device?.parent.flatMap { tree.adapter(at: $0) }
      return ErrorSituation(
        call, isLinkDown: device.map { !tree.isConnected($0) } ?? false,
        isAdapterOff: own.map { !$0.isPowered }
          ?? (!adapters.isEmpty && !adapters.contains(where: \.isPowered)),
        isUnpaired: device.map { !tree.isPaired($0) } ?? false,
        isForgotten: device.map { !tree.has(Device1.interface, at: $0) } ?? false
      )
    }
  }

  // MARK: Adapter and device

  /// The adapter to use now.
  func usableAdapter() throws -> AdapterFacts {
    do throws(AdapterProblem) {
      return try client.state.withLock { $0.tree }.usableAdapter(adapter)
    } catch {
      throw Cause.adapter(error, wanted: adapter)
    }
  }

  /// The device's object, wherever the device is now; nil when it is unknown.
  func knownDevice(on adapter: ObjectPath) -> ObjectPath? {
    let bound = state.withLock { $0.device }
    return client.withTree { tree in
      if let bound, bound.parent == adapter, tree.has(Device1.interface, at: bound) {
        return bound
      }
      return tree.device(target, of: adapter)
    }
  }

  /// The device's object for an operation on its attributes.
  ///
  /// - Throws: ``Cause``: not connected.
  func connectedDevice() throws -> ObjectPath {
    if let bound = state.withLock({ $0.device }) {
      return bound
    }
    let path = try usableAdapter().path
    guard let known = knownDevice(on: path), client.withTree({ $0.isConnected(known) }) else {
      throw Cause.notConnected
    }
    bind(known)
    return known
  }
}

extension Cause {
  /// The failure cause of a missing adapter.
  static func adapter(_ problem: AdapterProblem, wanted: AdapterSelector) -> Cause {
    switch problem {
    case .missing(let found) where found.isEmpty:
      .unavailable(
        .adapterMissing, "bluetoothd knows no Bluetooth adapter on this host",
        hint: "plug one in, check with bluetoothctl list, or \(.simulate)"
      )
    case .missing(let found):
      .unavailable(
        .adapterMissing,
        "unknown adapter \(wanted); bluetoothd has \(found.joined(separator: ", "))",
        hint: "name one of these with \(.adapter)"
      )
    case .off(let adapter):
      adapter.isBlocked ? .adapterBlocked : .adapterOff
    }
  }
}

// An adapter as a device for the world's other adapters: it serves and advertises what programs
// have registered.
//
// Applications and Advertisements keep track of the programs.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// An adapter in its role as a device for others.
final class LocalDevice: Sendable {
  private struct State {
    /// The services of programs, with their handles.
    var services: [ServiceDefinition] = []
    /// The first handle that was never used.
    var nextHandle: UInt16
    let version: BlueZVersion
    var advertisements: [AdvertisementDefinition] = []
    var name: String
    var isPowered: Bool
    let link: LinkDefinition
    let pairing: PairingDefinition
    /// The index of the advertisement that is being sent.
    var turn = 0
    var rotation: LoopTimer?
    /// The objects that the other adapters have for this one.
    var remotes: @Sendable () -> [RemoteDevice] = { [] }
  }

  /// The handle of ``information(of:)``, after Generic Access and Generic Attribute.
  ///
  /// - Source: recorded from bluetoothd 5.66 and 5.82.
  private static func informationHandle(of version: BlueZVersion) -> UInt16 {
    version.has(.shorterGenericAccess) ? 0x10 : 0x12
  }

  /// The time that each advertisement is sent before the next one, if there are several.
  ///
  /// - Source: Linux 6.1, `net/bluetooth/hci_core.h` (HCI_DEFAULT_ADV_DURATION).
  private static let turnLength = Duration.seconds(2)
  /// - Source: recorded from bluetoothd 5.66.
  private static let interval = Duration.milliseconds(1280)

  /// Device Information with the PnP ID of bluetoothd: BlueZ's USB identifiers, and its release.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  private static func information(of version: BlueZVersion) -> ServiceDefinition {
    let release = [UInt8(version.minor & 0xff), UInt8(version.major & 0xff)]
    return ServiceDefinition(
      uuid: BluetoothUUID(short: 0x180a),
      characteristics: [
        CharacteristicDefinition(
          uuid: BluetoothUUID(short: 0x2a50), properties: .read,
          behaviour: .constant([0x02, 0x6b, 0x1d, 0x46, 0x02] + release)
        )
      ],
      handle: informationHandle(of: version)
    )
  }

  let device: SimulatedDevice
  private let loop: Loop
  private let state: Confined<State>

  init(_ settings: AdapterSettings, as version: BlueZVersion, on loop: Loop) {
    let first = State(
      nextHandle: Self.informationHandle(of: version) + 3, version: version, name: settings.name,
      isPowered: settings.isPowered, link: settings.peripheral.link,
      pairing: settings.peripheral.pairing
    )
    state = Confined(first, to: loop)
    self.loop = loop
    var definition = Self.definition(first, at: settings.address)
    definition.faults = settings.peripheral.faults
    device = SimulatedDevice(
      definition, on: loop,
      generator: SeededGenerator(seed: settings.seed, name: "adapter \(settings.address)")
    )
    device.isAdvertising = false
  }

  var address: BluetoothAddress { device.definition.address }

  /// Sets the closure that finds the objects that other adapters have for this one.
  func setRemotes(_ remotes: @escaping @Sendable () -> [RemoteDevice]) {
    state.remotes = remotes
  }

  private static func definition(_ state: State, at address: BluetoothAddress) -> DeviceDefinition {
    let shown =
      state.advertisements.isEmpty
      ? AdvertisementDefinition(interval: interval)
      : state.advertisements[state.turn % state.advertisements.count]
    return DeviceDefinition(
      name: state.advertisements.compactMap(\.name).first ?? state.name, address: address,
      addressType: .public, advertisement: shown, link: state.link, pairing: state.pairing,
      services: [information(of: state.version)] + state.services
    )
  }

  private func redefine() {
    device.redefine(Self.definition(state.contents, at: address))
  }

  // MARK: Services

  /// Adds services, in order.
  ///
  /// - Returns: The services with their handles; nil if too few handles are left, or a requested
  ///   one is in use.
  func add(_ services: [ServiceDefinition]) -> [ServiceEntry]? {
    guard !services.isEmpty else { return [] }
    var wanted = services
    wanted[0].handle = wanted[0].handle ?? state.nextHandle
    var next = state.contents
    next.services += wanted
    let table = AttributeTable(Self.definition(next, at: address))
    let entries = Array(table.services.suffix(wanted.count))
    let areFree = zip(wanted, entries).allSatisfy { service, entry in
      service.uuid == entry.uuid && entry.handle >= state.nextHandle
        && service.handle ?? entry.handle == entry.handle
    }
    guard areFree, let last = entries.last?.lastHandle, last < .max else { return nil }
    for index in wanted.indices { wanted[index].handle = entries[index].handle }
    state.services += wanted
    state.nextHandle = last + 1
    redefine()
    followServices()
    return entries
  }

  /// Removes the services that begin at these handles.
  func remove(_ handles: [UInt16]) {
    state.services.removeAll { $0.handle.map(handles.contains) ?? false }
    redefine()
    followServices()
  }

  /// True if programs have registered services or advertisements.
  var isInUse: Bool { !state.services.isEmpty || !state.advertisements.isEmpty }

  /// The services of programs.
  var services: [BluetoothUUID] { state.services.map(\.uuid) }

  private func followServices() {
    for remote in state.remotes() { remote.followServices() }
  }

  // MARK: Advertising

  /// Replaces the advertisements. Several are sent in turn.
  func advertise(_ advertisements: [AdvertisementDefinition]) {
    state.advertisements = advertisements.map { advertisement in
      var sent = advertisement
      sent.interval = Self.interval
      return sent
    }
    state.rotation.take()?.cancel()
    redefine()
    followAdvertising()
    if advertisements.count > 1 { rotate() }
  }

  private func rotate() {
    state.rotation = loop.after(Self.turnLength) { [weak self] in
      guard let self else { return }
      state.turn += 1
      redefine()
      rotate()
    }
  }

  /// Applies a new power state or name of the adapter.
  func update(name: String? = nil, isPowered: Bool? = nil) {
    if let isPowered { state.isPowered = isPowered }
    if let name {
      state.name = name
      redefine()
    }
    followAdvertising()
  }

  /// Completes connection attempts that wait for an advertisement.
  private func followAdvertising() {
    let isOn = state.isPowered && !state.advertisements.isEmpty
    let wasOn = device.isAdvertising
    device.isAdvertising = isOn
    guard isOn, !wasOn else { return }
    for remote in state.remotes() where remote.isInAir { remote.appear() }
  }

  /// Removes all services and advertisements.
  func clear() {
    state.services = []
    state.advertisements = []
    state.rotation.take()?.cancel()
    redefine()
    followAdvertising()
    followServices()
  }
}

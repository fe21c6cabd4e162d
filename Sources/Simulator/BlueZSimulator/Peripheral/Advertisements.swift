// org.bluez.LEAdvertisingManager1: advertisements of programs, which the world's other adapters
// receive.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// The advertisements that programs have registered with an adapter.
///
/// - Source: BlueZ 5.66, `doc/advertising-api.txt`, `src/advertising.c`; recorded from it.
final class Advertisements: Sendable {
  private struct Advertisement: Sendable {
    let client: String
    let path: ObjectPath
    var properties: PropertyMap = [:]
    /// The parsed advertisement; nil until it is registered.
    var sent: RegisteredAdvertisement?
    var changes: Subscription?
    var timer: LoopTimer?

    func end() {
      changes?.cancel()
      timer?.cancel()
    }
  }

  /// The maximum number without extended advertising; the kernel sends them in turn.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  private static let limit = 5

  private let host: Host
  private let local: LocalDevice
  private let calls: ProgramCalls
  private let path: ObjectPath
  /// The name and the power of the adapter.
  private let adapter: @Sendable () -> (name: String, isPowered: Bool)
  private let state: Confined<[Advertisement]>

  init(
    _ local: LocalDevice, path: ObjectPath, host: Host,
    adapter: @escaping @Sendable () -> (name: String, isPowered: Bool)
  ) {
    self.local = local
    self.path = path
    self.host = host
    self.adapter = adapter
    calls = ProgramCalls(host: host)
    state = Confined([], to: host.loop)
  }

  var interface: ExportedInterface {
    LEAdvertisingManager1.declaration.exported(
      by: host.settings.version,
      methods: [
        ExportedMethod(LEAdvertisingManager1.registerAdvertisement) { self.register($0.0, $1) },
        ExportedMethod(LEAdvertisingManager1.unregisterAdvertisement) { self.unregister($0, $1) },
      ],
      properties: [
        ExportedProperty(LEAdvertisingManager1.activeInstances) { UInt8(self.count) },
        ExportedProperty(LEAdvertisingManager1.supportedInstances) {
          UInt8(Self.limit - self.count)
        },
        ExportedProperty(LEAdvertisingManager1.supportedIncludes) {
          LEAdvertisement1.Include.allCases.map(\.rawValue)
        },
        ExportedProperty(LEAdvertisingManager1.supportedFeatures) { [] },
        ExportedProperty(LEAdvertisingManager1.supportedCapabilities) {
          [
            "MinTxPower": .int16(0), "MaxTxPower": .int16(0), "MaxAdvLen": .byte(31),
            "MaxScnRspLen": .byte(31),
          ]
        },
      ]
    )
  }

  private var count: Int { state.count }

  // MARK: Registering

  private func register(_ path: ObjectPath, _ call: Invocation) {
    let client = call.caller
    guard index(of: client, path) == nil else { return call.refuse(.alreadyExists) }
    guard count < Self.limit else {
      return call.refuse(.notPermitted("Maximum advertisements reached"))
    }
    state.contents.append(Advertisement(client: client, path: path))
    _ = host.loop.task { [weak self] in
      await self?.followChanges(of: client, path)
      self?.list(path, call)
    }
  }

  /// Reads the properties from the program's object list or, if the advertisement is missing there,
  /// from the object itself; empty if the object does not reply.
  ///
  /// - Source: recorded from bluetoothd 5.66; `gdbus/client.c`.
  private func list(_ path: ObjectPath, _ call: Invocation) {
    calls.list(path, of: call.caller) { [weak self] objects in
      let listed = objects.first { $0.path == path }?.properties(of: LEAdvertisement1.interface)
      if let listed { self?.read(listed, path, call) } else { self?.ask(path, call) }
    }
  }

  private func ask(_ path: ObjectPath, _ call: Invocation) {
    calls.ask(
      StandardInterface.getAll, LEAdvertisement1.interface, on: path, of: call.caller,
      limit: ProgramCalls.listingLimit
    ) { [weak self] reply in
      self?.read((try? reply?.get())?.body.first?.asPropertyMap ?? [:], path, call)
    }
  }

  private func read(_ properties: PropertyMap, _ path: ObjectPath, _ call: Invocation) {
    let adapter = adapter()
    do throws(ErrorAnswer) {
      let sent = try registered(properties)
      guard adapter.isPowered else { throw RegisteredAdvertisement.notRegistered }
      guard let index = index(of: call.caller, path) else {
        return call.refuse(.failed("Cancelled"))
      }
      state.contents[index].properties = properties
      state.contents[index].sent = sent
      markInstances()
      call.reply()
      advertise()
      expire(after: sent.timeout, call.caller, path)
    } catch {
      _ = extract { $0.client == call.caller && $0.path == path }
      call.refuse(error)
    }
  }

  private func registered(
    _ properties: PropertyMap
  ) throws(ErrorAnswer) -> RegisteredAdvertisement {
    let power = host.settings.transmitPower
    return try RegisteredAdvertisement(properties, name: adapter().name, txPower: power)
  }

  private func index(of client: String, _ path: ObjectPath) -> Int? {
    state.contents.firstIndex { $0.client == client && $0.path == path }
  }

  private func advertise() { local.advertise(state.contents.compactMap(\.sent?.definition)) }

  private func markInstances() {
    host.server.changed(LEAdvertisingManager1.supportedInstances, at: path)
    host.server.changed(LEAdvertisingManager1.activeInstances, at: path)
  }

  /// Unregisters the advertisement after so many seconds, and tells the program.
  private func expire(after seconds: UInt16, _ client: String, _ path: ObjectPath) {
    guard seconds > 0, let index = index(of: client, path) else { return }
    state.contents[index].timer = host.loop.after(.seconds(Int64(seconds))) { [weak self] in
      guard let self else { return }
      calls.send(LEAdvertisement1.release, (), on: path, of: client)
      remove { $0.client == client && $0.path == path }
    }
  }

  // MARK: Changes

  private func followChanges(of client: String, _ path: ObjectPath) async {
    let rule = MatchRule(
      sender: client, path: path, interface: StandardInterface.properties,
      member: StandardInterface.propertiesChanged.name
    )
    let changes = try? await host.bus.subscribe(rule) { [weak self] signal in
      self?.receive(signal, of: client)
    }
    if let index = index(of: client, path) {
      state.contents[index].changes = changes
    } else {
      changes?.cancel()
    }
  }

  /// Applies changed properties; changes that do not parse are ignored.
  private func receive(_ signal: Message, of client: String) {
    guard signal.body.count == 3, signal.body[0].asString == LEAdvertisement1.interface,
      let path = signal.path
    else { return }
    guard let index = index(of: client, path), state.contents[index].sent != nil else { return }
    var properties = state.contents[index].properties
    for (name, value) in signal.body[1].asPropertyMap?.entries ?? [] { properties[name] = value }
    for name in signal.body[2].asStrings ?? [] { properties[name] = nil }
    guard let sent = try? registered(properties) else { return }
    state.contents[index].properties = properties
    state.contents[index].sent = sent
    advertise()
  }

  // MARK: Unregistering

  private func unregister(_ path: ObjectPath, _ call: Invocation) {
    guard remove({ $0.client == call.caller && $0.path == path }) else {
      return call.refuse(.doesNotExist)
    }
    call.reply()
  }

  func clientLeft(_ client: String) { remove { $0.client == client } }

  /// Removes all advertisements and tells the programs: the adapter is gone.
  func stop() {
    for advertisement in extract({ _ in true }) {
      calls.send(LEAdvertisement1.release, (), on: advertisement.path, of: advertisement.client)
    }
  }

  /// - Returns: True if there was any.
  @discardableResult
  private func remove(_ matches: @Sendable (Advertisement) -> Bool) -> Bool {
    guard !extract(matches).isEmpty else { return false }
    markInstances()
    advertise()
    return true
  }

  private func extract(_ matches: @Sendable (Advertisement) -> Bool) -> [Advertisement] {
    let gone = state.contents.filter(matches)
    state.contents.removeAll(where: matches)
    for advertisement in gone { advertisement.end() }
    return gone
  }
}

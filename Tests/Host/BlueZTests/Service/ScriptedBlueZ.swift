// An org.bluez whose answers a test scripts, for rare message orders and failures.
//
// It holds one adapter and one device with one service. What the simulator does by itself is tested
// with the simulator.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// A peer on the bus that owns `org.bluez` and answers from a script.
final class ScriptedBlueZ: ObjectHandler, Sendable {
  typealias Answer = @Sendable (ScriptedBlueZ, Invocation) -> Void

  static let adapter: ObjectPath = "/org/bluez/hci0"
  static let address = "C0:FF:EE:00:00:01"
  static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
  static let service: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0006"
  static let level: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0006/char0007"

  private struct State {
    var answers: [String: Answer] = [:]
    var calls: [String] = []
    /// The location of the device.
    var address = ScriptedBlueZ.address
    var isKnown = true
    var isConnected = false
    var isPowered = true
    var isDiscovering = false
  }

  let bus: MessageBus
  private let state = Guarded(State())

  init(on bus: MessageBus) {
    self.bus = bus
    script("GetManagedObjects") { bluez, call in call.reply([bluez.managedObjects]) }
    script("SetDiscoveryFilter") { _, call in call.reply() }
    script("StartDiscovery") { bluez, call in
      call.reply()
      bluez.discovering(true)
    }
    script("StopDiscovery") { bluez, call in
      call.reply()
      bluez.discovering(false)
    }
    script("Connect") { bluez, call in
      bluez.linkUp()
      call.reply()
      bluez.servicesAppear()
    }
    script("Disconnect") { bluez, call in bluez.disconnect(answering: call) }
    script("ReadValue") { bluez, call in
      bluez.notify([42])
      call.reply([.bytes([42])])
    }
    script("WriteValue") { _, call in call.reply() }
    script("StartNotify") { _, call in call.reply() }
    script("StopNotify") { _, call in call.reply() }
    script("Get") { _, call in call.reply([.variant(DBusVariant(.uint16(517)))]) }
  }

  func start() async throws {
    _ = try bus.export(self)
    _ = try await bus.requestName(OrgBlueZ.busName, flags: [])
  }

  // MARK: The script

  /// Sets the answer for all further calls of a member; nil for no answer.
  func script(_ member: String, _ answer: Answer?) {
    state.withLock { $0.answers[member] = answer ?? { _, _ in } }
  }

  /// Sets an error as the answer for all further calls of a member.
  func script(_ member: String, fails answer: ErrorAnswer) {
    script(member) { _, call in call.fail(answer.dbusError) }
  }

  /// The members that were called, in order, without those that ask for objects.
  var calls: [String] {
    state.withLock { $0.calls.filter { $0 != "GetManagedObjects" && $0 != "Get" } }
  }

  func handle(_ invocation: Invocation) -> Bool {
    let member = invocation.message.member ?? ""
    let answer = state.withLock { state in
      state.calls.append(member)
      return state.answers[member]
    }
    guard let answer else { return false }
    answer(self, invocation)
    return true
  }

  /// Whether bluetoothd knows the device from the start.
  var isDeviceKnown: Bool {
    get { state.withLock { $0.isKnown } }
    set { state.withLock { $0.isKnown = newValue } }
  }

  /// Whether the adapter is on from the start.
  var isPowered: Bool {
    get { state.withLock { $0.isPowered } }
    set { state.withLock { $0.isPowered = newValue } }
  }

  /// Whether the link is up.
  var isConnected: Bool {
    get { state.withLock { $0.isConnected } }
    set { state.withLock { $0.isConnected = newValue } }
  }

  // MARK: What happens

  func discovering(_ value: Bool) {
    state.withLock { $0.isDiscovering = value }
    changed(Self.adapter, Adapter1.interface, ["Discovering": .boolean(value)])
  }

  func deviceAppears() {
    isDeviceKnown = true
    added(device, Device1.interface, deviceProperties)
  }

  /// The device is gone with its services, and appears at another address.
  func deviceMoves(to address: String) {
    removed(level, GattCharacteristic1.interface)
    removed(service, GattService1.interface)
    deviceGoes()
    state.withLock { $0.address = address }
    deviceAppears()
  }

  func deviceGoes() {
    isDeviceKnown = false
    isConnected = false
    removed(device, Device1.interface)
  }

  /// - Parameter isBonded: nil: without the property, as before 5.65.
  func paired(_ isPaired: Bool = true, isBonded: Bool? = nil) {
    var properties: PropertyMap = ["Paired": .boolean(isPaired)]
    if let isBonded { properties["Bonded"] = .boolean(isBonded) }
    changed(device, Device1.interface, properties)
  }

  func pairable(_ isPairable: Bool) {
    changed(Self.adapter, Adapter1.interface, ["Pairable": .boolean(isPairable)])
  }

  func linkUp() {
    isConnected = true
    changed(device, Device1.interface, ["Connected": .boolean(true)])
  }

  func servicesAppear() {
    added(service, GattService1.interface, serviceProperties)
    added(level, GattCharacteristic1.interface, levelProperties)
    resolved()
  }

  func resolved() {
    changed(device, Device1.interface, ["ServicesResolved": .boolean(true)])
  }

  func linkLost() {
    isConnected = false
    changed(
      device,
      Device1.interface,
      ["ServicesResolved": .boolean(false), "Connected": .boolean(false)]
    )
  }

  /// Reports why the connection ends, as bluetoothd 5.83 does before it reports the end.
  func disconnected(_ reason: String, _ text: String) {
    signal(
      device,
      Device1.interface,
      Device1.disconnected,
      [.string(reason), .string(text)]
    )
  }

  /// bluetoothd exports the two bearers of the device.
  /// - Parameter isExperimental: Whether they have members.
  func bearersAppear(isExperimental: Bool = true) {
    added(device, BearerBREDR1.interface, [:])
    added(device, BearerLE1.interface, isExperimental ? ["Connected": .boolean(false)] : [:])
  }

  func bearer(isConnected: Bool) {
    changed(device, BearerLE1.interface, ["Connected": .boolean(isConnected)])
  }

  func prefers(_ bearer: String) {
    changed(device, Device1.interface, ["PreferredBearer": .string(bearer)])
  }

  func notify(_ value: [UInt8]) {
    changed(level, GattCharacteristic1.interface, ["Value": .bytes(value)])
  }

  /// Removes the characteristic and adds it again, as after Service Changed.
  func levelReplaced() {
    removed(level, GattCharacteristic1.interface)
    added(level, GattCharacteristic1.interface, levelProperties)
  }

  /// As bluetoothd 5.66 does: after two seconds, around the reply.
  func disconnect(answering call: Invocation) {
    guard isConnected else { return call.reply() }
    bus.loop.after(.seconds(2)) { [self] in
      changed(device, Device1.interface, ["ServicesResolved": .boolean(false)])
      call.reply()
      isConnected = false
      changed(device, Device1.interface, ["Connected": .boolean(false)])
    }
  }

  // MARK: Messages

  private func changed(_ path: ObjectPath, _ interface: String, _ properties: PropertyMap) {
    signal(
      path,
      StandardInterface.properties,
      StandardInterface.propertiesChanged.name,
      [.string(interface), .properties(properties), .strings([])]
    )
  }

  private func added(_ path: ObjectPath, _ interface: String, _ properties: PropertyMap) {
    signal(
      BlueZPath.objectManager,
      StandardInterface.objectManager,
      StandardInterface.interfacesAdded.name,
      [.objectPath(path), Self.interfaces([(interface, properties)])]
    )
  }

  private func removed(_ path: ObjectPath, _ interface: String) {
    signal(
      BlueZPath.objectManager,
      StandardInterface.objectManager,
      StandardInterface.interfacesRemoved.name,
      [.objectPath(path), .strings([interface])]
    )
  }

  private func signal(
    _ path: ObjectPath, _ interface: String, _ member: String, _ body: [DBusValue]
  ) {
    if let message = try? Message.signal(
      path: path, interface: interface, member: member, body: body
    ) {
      try? bus.send(message)
    }
  }

  // MARK: Objects

  private var address: String { state.withLock { $0.address } }
  private var device: ObjectPath {
    let elements = address.split(separator: ":").joined(separator: "_")
    return ObjectPath(stringLiteral: "\(Self.adapter.text)/dev_\(elements)")
  }
  private var service: ObjectPath { ObjectPath(stringLiteral: device.text + "/service0006") }
  private var level: ObjectPath { ObjectPath(stringLiteral: service.text + "/char0007") }

  private var managedObjects: DBusValue {
    var objects: [(DBusValue, DBusValue)] = [
      (.objectPath(Self.adapter), Self.interfaces([(Adapter1.interface, adapterProperties)]))
    ]
    if isDeviceKnown {
      objects.append(
        (.objectPath(device), Self.interfaces([(Device1.interface, deviceProperties)]))
      )
    }
    if isDeviceKnown && isConnected {
      objects += [
        (.objectPath(service), Self.interfaces([(GattService1.interface, serviceProperties)])),
        (.objectPath(level), Self.interfaces([(GattCharacteristic1.interface, levelProperties)])),
      ]
    }
    return Self.dictionary("o", "a{sa{sv}}", objects)
  }

  private static func interfaces(_ list: [(String, PropertyMap)]) -> DBusValue {
    dictionary("s", "a{sv}", list.map { (.string($0.0), .properties($0.1)) })
  }

  private static func dictionary(
    _ key: Signature, _ value: Signature, _ entries: [(DBusValue, DBusValue)]
  ) -> DBusValue {
    do {
      return .dictionary(try DBusDictionary(key: key, value: value, entries))
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private var adapterProperties: PropertyMap {
    state.withLock {
      [
        "Address": .string("00:AA:01:00:00:23"), "Alias": .string("bench"),
        "Powered": .boolean($0.isPowered), "Discovering": .boolean($0.isDiscovering),
      ]
    }
  }

  private var deviceProperties: PropertyMap {
    let isConnected = isConnected
    return [
      "Address": .string(address), "AddressType": .string("random"),
      "Name": .string("Thermo-1"), "Alias": .string("Thermo-1"),
      "Paired": .boolean(false), "RSSI": .int16(-60),
      "Connected": .boolean(isConnected), "Adapter": .objectPath(Self.adapter),
      "UUIDs": .strings(["0000180f-0000-1000-8000-00805f9b34fb"]),
      "ServicesResolved": .boolean(isConnected),
    ]
  }

  private var serviceProperties: PropertyMap {
    [
      "UUID": .string("0000180f-0000-1000-8000-00805f9b34fb"),
      "Device": .objectPath(device), "Primary": .boolean(true),
      "Includes": .objectPaths([]),
    ]
  }

  private var levelProperties: PropertyMap {
    [
      "UUID": .string("00002a19-0000-1000-8000-00805f9b34fb"),
      "Service": .objectPath(service), "Value": .bytes([]),
      "Flags": .strings(["read", "write", "notify"]), "MTU": .uint16(23),
    ]
  }
}

// org.bluez.GattManager1: services of programs, which the world's other adapters can use.
//
// Like bluetoothd, it reads the objects of the program, assigns handles, replies to the
// registration, and passes each request of a central to the program.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// The applications that programs have registered with an adapter.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-database.c`; recorded from it.
final class Applications: Sendable {
  private struct Application: Sendable {
    let client: String
    let root: ObjectPath
    var services: [Service] = []
    var signals: Subscription?
  }

  private struct Service: Sendable {
    let path: ObjectPath
    let handle: UInt16
    /// The attributes by value handle, or by descriptor handle.
    let attributes: [UInt16: ProgramAttributeServer]
  }

  private let host: Host
  private let local: LocalDevice
  private let calls: ProgramCalls
  /// The path of the connected central.
  private let central: @Sendable () -> ObjectPath?
  /// Called when the services have changed.
  private let changed: @Sendable () -> Void
  private let state: Confined<[Application]>

  init(
    _ local: LocalDevice, host: Host, central: @escaping @Sendable () -> ObjectPath?,
    changed: @escaping @Sendable () -> Void
  ) {
    self.local = local
    self.host = host
    self.central = central
    self.changed = changed
    calls = ProgramCalls(host: host)
    state = Confined([], to: host.loop)
    local.device.setProgram(
      DeviceProgram(
        serves: { [weak self] in self?.attribute($0) != nil },
        read: { [weak self] handle, offset, done in
          guard let attribute = self?.attribute(handle) else {
            return done(.failure(.invalidHandle))
          }
          attribute.read(from: offset, done)
        },
        write: { [weak self] handle, value, offset, done in
          guard let attribute = self?.attribute(handle) else {
            return done(.failure(.invalidHandle))
          }
          attribute.write(value, at: offset, done)
        },
        subscription: { [weak self] in self?.attribute($0)?.subscription($1) },
        confirmed: { [weak self] in self?.attribute($0)?.confirmed() }
      )
    )
  }

  private func attribute(_ handle: UInt16) -> ProgramAttributeServer? {
    state.contents.lazy.flatMap(\.services).compactMap { $0.attributes[handle] }.first
  }

  var interface: ExportedInterface {
    GattManager1.declaration.exported(
      by: host.settings.version,
      methods: [
        ExportedMethod(GattManager1.registerApplication) { self.register($0.0, $1) },
        ExportedMethod(GattManager1.unregisterApplication) { self.unregister($0, $1) },
      ]
    )
  }

  // MARK: Registering

  private func register(_ root: ObjectPath, _ call: Invocation) {
    let client = call.caller
    guard index(of: client, root) == nil else { return call.refuse(.alreadyExists) }
    state.contents.append(Application(client: client, root: root))
    _ = host.loop.task { [weak self] in
      await self?.followSignals(of: client, root)
      self?.calls.list(root, of: client) { [weak self] in self?.listed($0, root, call) }
    }
  }

  private func listed(_ objects: [ListedObject], _ root: ObjectPath, _ call: Invocation) {
    // The program may have left or unregistered meanwhile.
    guard index(of: call.caller, root) != nil else { return call.refuse(.failed("Cancelled")) }
    do throws(ErrorAnswer) {
      let services = try ProgramServices(objects)
      guard let entries = local.add(services.services.map(\.definition)) else {
        throw ProgramServices.noEntry
      }
      guard services.demand(only: entries) else {
        local.remove(entries.map(\.handle))
        throw ProgramServices.noEntry
      }
      add(services, at: entries, to: call.caller, root)
      call.reply()
    } catch {
      remove { $0.client == call.caller && $0.root == root }
      call.refuse(error)
    }
  }

  private func index(of client: String, _ root: ObjectPath) -> Int? {
    state.contents.firstIndex { $0.client == client && $0.root == root }
  }

  /// Serves the attributes of an application, and reports the assigned handles to it.
  private func add(
    _ services: ProgramServices, at entries: [ServiceEntry], to client: String, _ root: ObjectPath
  ) {
    let served = zip(services.services, entries).map { service, entry in
      report(entry.handle, to: service.object, of: client)
      let attributes = service.attributes(at: entry).map { object, handle in
        report(handle, to: object, of: client)
        let attribute = ProgramAttributeServer(
          object, of: client, at: handle, local: local, calls: calls, central: central
        )
        return (handle, attribute)
      }
      return Service(
        path: service.object.path, handle: entry.handle,
        attributes: Dictionary(uniqueKeysWithValues: attributes)
      )
    }
    if let index = index(of: client, root) { state.contents[index].services = served }
    changed()
  }

  /// Sets the handle property of an object that lets bluetoothd choose the handle.
  private func report(_ handle: UInt16, to object: ProgramObject, of client: String) {
    guard object.handle == 0 else { return }
    let value = DBusValue.variant(of: .uint16(handle))
    let arguments = (object.interface, ProgramAttribute.handle, value)
    calls.send(StandardInterface.set, arguments, on: object.path, of: client)
  }

  // MARK: Signals of programs

  private func followSignals(of client: String, _ root: ObjectPath) async {
    let signals = try? await host.bus.subscribe(MatchRule(sender: client)) { [weak self] signal in
      switch (signal.interface, signal.member) {
      case (StandardInterface.properties, StandardInterface.propertiesChanged.name):
        self?.valueChanged(signal, of: client, root)
      case (StandardInterface.objectManager, StandardInterface.interfacesRemoved.name)
      where signal.path == root:
        self?.objectRemoved(signal, of: client, root)
      // open: signals of programs
      default: break
      }
    }
    if let index = index(of: client, root) {
      state.contents[index].signals = signals
    } else {
      signals?.cancel()
    }
  }

  /// Notifies a value: the program announces a change of `Value`.
  private func valueChanged(_ signal: Message, of client: String, _ root: ObjectPath) {
    guard signal.body.count == 3, signal.body[0].asString == GattCharacteristic1.interface,
      let index = index(of: client, root)
    else { return }
    let attribute = state.contents[index].services.lazy.flatMap(\.attributes.values).first {
      $0.object.path == signal.path && $0.object.interface == GattCharacteristic1.interface
    }
    let name = GattCharacteristic1.value.name
    if let value = signal.body[1].asPropertyMap?[name] {
      if let value = value.asBytes { attribute?.send(value) }
    } else if signal.body[2].asStrings?.contains(name) == true {
      attribute?.send([])
    }
  }

  /// Removes services whose objects the program removes. Other removals, and all additions, change
  /// nothing.
  ///
  /// - Source: BlueZ 5.66, `src/gatt-database.c` (proxy_added_cb, proxy_removed_cb).
  private func objectRemoved(_ signal: Message, of client: String, _ root: ObjectPath) {
    guard signal.body.count == 2, let path = signal.body[0].asObjectPath,
      signal.body[1].asStrings?.contains(GattService1.interface) == true,
      let index = index(of: client, root)
    else { return }
    let gone = state.contents[index].services.filter { $0.path == path }
    state.contents[index].services.removeAll { $0.path == path }
    end(gone)
  }

  // MARK: Unregistering

  private func unregister(_ root: ObjectPath, _ call: Invocation) {
    guard index(of: call.caller, root) != nil else { return call.refuse(.doesNotExist) }
    remove { $0.client == call.caller && $0.root == root }
    call.reply()
  }

  func clientLeft(_ client: String) { remove { $0.client == client } }

  /// Removes all applications: the adapter is gone.
  func stop() { remove { _ in true } }

  private func remove(_ matches: @Sendable (Application) -> Bool) {
    let gone = state.contents.filter(matches)
    state.contents.removeAll(where: matches)
    for application in gone { application.signals?.cancel() }
    end(gone.flatMap(\.services))
  }

  private func end(_ services: [Service]) {
    guard !services.isEmpty else { return }
    for attribute in services.flatMap(\.attributes.values) { attribute.close() }
    local.remove(services.map(\.handle))
    changed()
  }
}

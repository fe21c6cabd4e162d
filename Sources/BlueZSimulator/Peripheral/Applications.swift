// org.bluez.GattManager1: the services of programs, which other adapters of the room can use.
//
// As bluetoothd does: it reads the objects of the program, gives them handles, answers the
// registration, and asks the program whenever a central asks.

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
    /// By the handle of the value, or of the descriptor.
    var attributes: [UInt16: ProgramAttributeServer] = [:]
    /// The handles of its services.
    var services: [UInt16] = []
    var changes: Subscription?
  }

  private let host: Host
  private let local: LocalDevice
  private let calls: ProgramCalls
  /// The path of the central that is connected.
  private let central: @Sendable () -> ObjectPath?
  /// Called when the services have changed.
  private let changed: @Sendable () -> Void
  private let state: Confined<[Application]>

  init(
    _ local: LocalDevice,
    host: Host,
    central: @escaping @Sendable () -> ObjectPath?,
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
    for application in state.contents {
      if let attribute = application.attributes[handle] { return attribute }
    }
    return nil
  }

  /// The interface, on the adapter.
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
      await self?.followChanges(of: client, root)
      self?.list(root, call)
    }
  }

  private func list(_ root: ObjectPath, _ call: Invocation) {
    calls.ask(
      StandardInterface.getManagedObjects,
      (),
      on: root,
      of: call.caller,
      limit: ProgramCalls.listingLimit
    ) { [weak self] reply in
      let objects = (try? reply?.get()).map { ListedObject.all(in: $0) } ?? []
      self?.listed(objects, root, call)
    }
  }

  private func listed(_ objects: [ListedObject], _ root: ObjectPath, _ call: Invocation) {
    // The program may have left, or have changed its mind.
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

  /// Serves the attributes of an application, and reports their handles to it.
  private func add(
    _ services: ProgramServices,
    at entries: [ServiceEntry],
    to client: String,
    _ root: ObjectPath
  ) {
    var attributes: [UInt16: ProgramAttributeServer] = [:]
    func add(_ object: ProgramObject, at handle: UInt16) {
      report(handle, to: object, of: client)
      attributes[handle] = ProgramAttributeServer(
        object,
        of: client,
        at: handle,
        local: local,
        calls: calls,
        central: central
      )
    }
    for (service, entry) in zip(services.services, entries) {
      report(entry.handle, to: service.object, of: client)
      for (object, handle) in service.attributes(at: entry) { add(object, at: handle) }
    }
    if let index = index(of: client, root) {
      state.contents[index].attributes = attributes
      state.contents[index].services = entries.map(\.handle)
    }
    changed()
  }

  /// Sets the property of an object that leaves its handle to bluetoothd.
  private func report(_ handle: UInt16, to object: ProgramObject, of client: String) {
    guard object.handle == 0 else { return }
    let value = DBusValue.variant(of: .uint16(handle))
    let arguments = (object.interface, ProgramAttribute.handle, value)
    calls.send(StandardInterface.set, arguments, on: object.path, of: client)
  }

  /// The program sends values by announcing that `Value` has changed.
  private func followChanges(of client: String, _ root: ObjectPath) async {
    let rule = MatchRule(
      sender: client,
      interface: StandardInterface.properties,
      member: StandardInterface.propertiesChanged.name
    )
    let changes = try? await host.bus.subscribe(rule) { [weak self] signal in
      self?.receive(signal, of: client, root)
    }
    if let index = index(of: client, root) {
      state.contents[index].changes = changes
    } else {
      changes?.cancel()
    }
  }

  private func receive(_ signal: Message, of client: String, _ root: ObjectPath) {
    guard signal.body.count == 3, signal.body[0].asString == GattCharacteristic1.interface else {
      return
    }
    let attributes = index(of: client, root).map { state.contents[$0].attributes.values }
    let attribute = attributes?.first {
      $0.object.path == signal.path && $0.object.interface == GattCharacteristic1.interface
    }
    let name = GattCharacteristic1.value.name
    if let value = signal.body[1].asPropertyMap?[name] {
      if let value = value.asBytes { attribute?.send(value) }
    } else if signal.body[2].asStrings?.contains(name) == true {
      attribute?.send([])
    }
  }

  // MARK: Unregistering

  private func unregister(_ root: ObjectPath, _ call: Invocation) {
    guard index(of: call.caller, root) != nil else { return call.refuse(.doesNotExist) }
    remove { $0.client == call.caller && $0.root == root }
    call.reply()
  }

  /// A program has left the bus.
  func clientLeft(_ client: String) { remove { $0.client == client } }

  /// The adapter is gone.
  func stop() { remove { _ in true } }

  private func remove(_ isMeant: @Sendable (Application) -> Bool) {
    let gone = state.contents.filter(isMeant)
    state.contents.removeAll(where: isMeant)
    for application in gone {
      application.changes?.cancel()
      for attribute in application.attributes.values { attribute.close() }
    }
    let services = gone.flatMap(\.services)
    guard !services.isEmpty else { return }
    local.remove(services)
    changed()
  }
}

// The mirror of bluetoothd's objects, message by message.

import BlueZInterfaces
import Bluetooth
import DBus
import Testing

@testable import BlueZ

@Suite("Object tree")
struct ObjectTreeTests {
  let adapter: ObjectPath = "/org/bluez/hci0"
  let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
  let service: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0006"

  func listed(_ name: String, _ properties: PropertyMap) -> ListedInterface {
    ListedInterface(name, properties)
  }

  func tree(_ events: TreeEvent...) -> ObjectTree {
    var tree = ObjectTree()
    for event in events { _ = tree.apply(event) }
    return tree
  }

  @Test("the advertised services are those listed before bluetoothd resolved the device's services")
  func heardServices() {
    let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"
    let more = [heartRate, "0000180a-0000-1000-8000-00805f9b34fb"]
    func device(_ uuids: [String], _ rssi: Int16?, isPaired: Bool = false) -> ListedInterface {
      var properties: PropertyMap = [
        "Address": .string("C0:FF:EE:00:00:01"), "UUIDs": .strings(uuids),
        "Paired": .boolean(isPaired),
      ]
      if let rssi { properties["RSSI"] = .int16(rssi) }
      return listed(Device1.interface, properties)
    }
    func heard(_ events: TreeEvent...) -> [String]? {
      var tree = ObjectTree()
      for event in events { _ = tree.apply(event) }
      return tree.advertisement(of: self.device)?.advertisedServices?.map(\.text)
    }
    let found = TreeEvent.added(self.device, [device([heartRate], -60)])
    let services = TreeEvent.added(service, [listed(GattService1.interface, [:])])
    let resolved = TreeEvent.changed(
      self.device, interface: Device1.interface, ["UUIDs": .strings(more)], invalidated: []
    )
    #expect(heard(found) == [heartRate])
    #expect(heard(found, resolved) == more, "it may list more in another advertisement")
    #expect(heard(found, services, resolved) == [heartRate])
    // A snapshot of a device with resolved services does not show the services it advertises.
    let listing = TreeEvent.snapshot([
      ListedObject(self.device, [device(more, -60)]),
      ListedObject(service, [listed(GattService1.interface, [:])]),
    ])
    #expect(heard(listing) == nil)
    #expect(heard(found, services, resolved, listing) == [heartRate])
    #expect(heard(found, .cleared, listing) == nil)
    #expect(heard(found, .removed(self.device, [Device1.interface]), services, listing) == nil)
    // Nor do stored devices, without an RSSI or paired, show their advertised services.
    #expect(heard(.added(self.device, [device([heartRate], nil)])) == nil)
    #expect(heard(.added(self.device, [device([heartRate], -60, isPaired: true)])) == nil)
  }

  @Test("an added interface has its properties; the two implicit interfaces are ignored")
  func added() {
    var tree = ObjectTree()
    let changes = tree.apply(
      .added(
        device,
        [
          listed(StandardInterface.introspectable, [:]),
          listed(Device1.interface, ["Connected": .boolean(true)]),
        ]
      )
    )
    #expect(changes == [.added(device, interface: Device1.interface)])
    #expect(tree.interfaceNames(of: device) == [Device1.interface])
    #expect(tree.isConnected(device))
  }

  @Test("a changed property replaces the old value, an invalidated property is removed")
  func changed() {
    var tree = tree(
      .added(
        device, [listed(Device1.interface, ["RSSI": .int16(-60), "Connected": .boolean(false)])]
      )
    )
    let changes = tree.apply(
      .changed(
        device, interface: Device1.interface, ["Connected": .boolean(true)], invalidated: ["RSSI"]
      )
    )
    #expect(
      changes
        == [.changed(device, interface: Device1.interface, properties: ["Connected", "RSSI"])]
    )
    #expect(tree.isConnected(device))
    #expect(tree.value(Device1.rssi, at: device) == nil)
  }

  @Test("removing an adapter removes the objects below it, children first")
  func removedWithAdapter() {
    var tree = tree(
      .added(adapter, [listed(Adapter1.interface, [:])]),
      .added("/org/bluez/hci1", [listed(Adapter1.interface, [:])]),
      .added(device, [listed(Device1.interface, ["Connected": .boolean(true)])]),
      .added(service, [listed(GattService1.interface, [:])])
    )
    let changes = tree.apply(.removed(adapter, [Adapter1.interface]))
    #expect(
      changes
        == [
          .removed(service, interface: GattService1.interface),
          .removed(device, interface: Device1.interface),
          .removed(adapter, interface: Adapter1.interface),
        ]
    )
    #expect(tree.apply(.removed(device, [Device1.interface])).isEmpty)
    #expect(tree.has(Adapter1.interface, at: "/org/bluez/hci1"))
  }

  @Test("an RSSI that the controller does not know is the weakest, not the strongest")
  func unknownRSSI() {
    let seen = [-60, 127].map { (rssi: Int16) in
      tree(
        .added(
          device,
          [
            listed(
              Device1.interface, ["Address": .string("C0:FF:EE:00:00:01"), "RSSI": .int16(rssi)]
            )
          ]
        )
      ).advertisement(of: device)?.rssi
    }
    #expect(seen == [-60, -127])
  }

  @Test("a change of an unknown object is ignored")
  func unknown() {
    var tree = ObjectTree()
    let changes = tree.apply(
      .changed(device, interface: Device1.interface, ["RSSI": .int16(-1)], invalidated: [])
    )
    #expect(changes.isEmpty)
    #expect(!tree.has(Device1.interface, at: device))
  }

  @Test("an object is removed when its last interface is removed, not before")
  func removed() {
    var tree = tree(
      .added(device, [listed(Device1.interface, [:]), listed(Battery1.interface, [:])])
    )
    #expect(
      tree.apply(.removed(device, [Battery1.interface]))
        == [.removed(device, interface: Battery1.interface)]
    )
    #expect(tree.paths(with: Device1.interface) == [device])
    _ = tree.apply(.removed(device, [StandardInterface.properties, Device1.interface]))
    #expect(tree.paths(with: Device1.interface).isEmpty)
  }

  @Test("objects below a path are found in handle order, without objects of sibling paths")
  func below() {
    let neighbour: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_02/service0001"
    let ten: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0010"
    let tree = tree(
      .added(ten, [listed(GattService1.interface, [:])]),
      .added(neighbour, [listed(GattService1.interface, [:])]),
      .added(service, [listed(GattService1.interface, [:])]),
      .added(device, [listed(Device1.interface, [:])])
    )
    #expect(tree.paths(with: GattService1.interface, below: device) == [service, ten])
    #expect(tree.paths(with: Device1.interface, below: device).isEmpty)
  }

  @Test("a snapshot reports new, changed and removed objects")
  func snapshot() {
    let gone: ObjectPath = "/org/bluez/hci1"
    var tree = tree(
      .added(adapter, [listed(Adapter1.interface, ["Powered": .boolean(false)])]),
      .added(gone, [listed(Adapter1.interface, [:])]),
      .snapshotAsked
    )
    let changes = tree.apply(
      .snapshot([
        ListedObject(adapter, [listed(Adapter1.interface, ["Powered": .boolean(true)])]),
        ListedObject(device, [listed(Device1.interface, [:])]),
      ])
    )
    #expect(
      changes == [
        .removed(gone, interface: Adapter1.interface),
        .changed(adapter, interface: Adapter1.interface, properties: ["Powered"]),
        .added(device, interface: Device1.interface),
      ]
    )
  }

  @Test("signals that arrive during a snapshot are applied")
  func signalDuringSnapshot() {
    var tree = tree(.snapshotAsked)
    _ = tree.apply(.added(device, [listed(Device1.interface, ["Connected": .boolean(false)])]))
    _ = tree.apply(
      .changed(device, interface: Device1.interface, ["Connected": .boolean(true)], invalidated: [])
    )
    _ = tree.apply(.added(service, [listed(GattService1.interface, [:])]))
    _ = tree.apply(.removed(service, [GattService1.interface]))
    // The snapshot was taken in between: the service was there, the link not yet up.
    _ = tree.apply(
      .snapshot([
        ListedObject(device, [listed(Device1.interface, ["Connected": .boolean(false)])]),
        ListedObject(service, [listed(GattService1.interface, [:])]),
      ])
    )
    #expect(tree.isConnected(device))
    #expect(!tree.has(GattService1.interface, at: service))
  }

  @Test("signals from a failed snapshot are not replayed on the next")
  func failedSnapshot() {
    var tree = tree(.snapshotAsked)
    _ = tree.apply(.added(device, [listed(Device1.interface, [:])]))
    _ = tree.apply(.snapshotFailed)
    _ = tree.apply(.removed(device, [Device1.interface]))
    _ = tree.apply(.snapshotAsked)
    _ = tree.apply(.snapshot([]))
    #expect(tree.paths(with: Device1.interface).isEmpty)
  }

  @Test("when bluetoothd leaves the bus, all objects are removed, children before parents")
  func cleared() {
    var tree = tree(
      .added(device, [listed(Device1.interface, [:])]),
      .added(service, [listed(GattService1.interface, [:])])
    )
    #expect(
      tree.apply(.cleared) == [
        .removed(service, interface: GattService1.interface),
        .removed(device, interface: Device1.interface),
      ]
    )
  }

  @Test("only changes of attribute objects invalidate cached attributes")
  func generation() {
    var tree = tree(.added(device, [listed(Device1.interface, [:])]))
    let before = tree.attributeGeneration
    _ = tree.apply(
      .changed(device, interface: Device1.interface, ["RSSI": .int16(-1)], invalidated: [])
    )
    #expect(tree.attributeGeneration == before)
    _ = tree.apply(.added(service, [listed(GattService1.interface, [:])]))
    #expect(tree.attributeGeneration != before)
  }
}

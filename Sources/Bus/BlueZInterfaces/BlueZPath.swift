// The object paths of bluetoothd: built from addresses and handles, and parsed.
//
// Names only: the object tree knows which objects exist.

package import Bluetooth
package import DBus

/// The place of an object in bluetoothd's tree.
///
/// Handles are four lower-case hexadecimal digits; a characteristic is named by its *declaration*,
/// whose value has the next handle.
///
/// - Source: BlueZ 5.66, `src/adapter.c`, `src/device.c` (device_create), `src/gatt-client.c`
///   (service_create, characteristic_create, descriptor_create).
package enum BlueZPath: Hashable, Sendable {
  /// `/org/bluez`
  case bluez
  /// `/org/bluez/hciN`
  case adapter(name: String)
  /// `…/dev_AA_BB_CC_DD_EE_FF`
  case device(adapter: String, address: BluetoothAddress)
  /// `…/serviceHHHH`
  case service(adapter: String, address: BluetoothAddress, handle: UInt16)
  /// `…/charHHHH`; `handle` is the declaration's.
  case characteristic(adapter: String, address: BluetoothAddress, service: UInt16, handle: UInt16)
  /// `…/descHHHH`
  case descriptor(
    adapter: String, address: BluetoothAddress, service: UInt16, characteristic: UInt16,
    handle: UInt16
  )
}

// MARK: Building

extension BlueZPath {
  /// The path of the object manager.
  package static let objectManager: ObjectPath = "/"

  /// The path of the agent manager.
  package static let manager: ObjectPath = "/org/bluez"

  /// The path of the interface for tests of SIM access.
  package static let test: ObjectPath = "/org/bluez/test"

  /// The name of the adapter with an index: `hci0`.
  package static func adapterName(index: Int) -> String { "hci\(index)" }

  /// `/org/bluez/hci0`
  ///
  /// - Precondition: `name` is a valid element of an object path.
  package static func adapter(_ name: String) -> ObjectPath {
    path("/org/bluez/\(name)")
  }

  /// `…/dev_AA_BB_CC_DD_EE_FF` below an adapter.
  package static func device(_ address: BluetoothAddress, of adapter: ObjectPath) -> ObjectPath {
    path("\(adapter.text)/\(deviceElement(address))")
  }

  /// `…/service0001` below a device.
  package static func service(_ handle: UInt16, of device: ObjectPath) -> ObjectPath {
    path("\(device.text)/service\(hex(handle))")
  }

  /// `…/char0002` below a service.
  ///
  /// - Parameter declaration: The declaration's handle; the value's is one more.
  package static func characteristic(declaration: UInt16, of service: ObjectPath) -> ObjectPath {
    path("\(service.text)/char\(hex(declaration))")
  }

  /// `…/desc0004` below a characteristic.
  package static func descriptor(_ handle: UInt16, of characteristic: ObjectPath) -> ObjectPath {
    path("\(characteristic.text)/desc\(hex(handle))")
  }

  /// The object path of this place.
  package var objectPath: ObjectPath { Self.path(text) }

  private var text: String {
    switch self {
    case .bluez:
      "/org/bluez"
    case .adapter(let name):
      "/org/bluez/\(name)"
    case .device(let adapter, let address):
      "/org/bluez/\(adapter)/\(Self.deviceElement(address))"
    case .service(let adapter, let address, let handle):
      "\(Self.device(adapter: adapter, address: address).text)/service\(Self.hex(handle))"
    case .characteristic(let adapter, let address, let service, let handle):
      Self.service(adapter: adapter, address: address, handle: service).text
        + "/char\(Self.hex(handle))"
    case .descriptor(let adapter, let address, let service, let characteristic, let handle):
      Self.characteristic(
        adapter: adapter, address: address, service: service, handle: characteristic
      ).text + "/desc\(Self.hex(handle))"
    }
  }

  private static func deviceElement(_ address: BluetoothAddress) -> String {
    "dev_" + address.text(separator: "_")
  }

  private static func path(_ text: String) -> ObjectPath { ObjectPath(stringLiteral: text) }

  private static func hex(_ handle: UInt16) -> String {
    let digits = String(handle, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

// MARK: Reading

extension BlueZPath {
  /// Parses an object path; nil if bluetoothd does not use it for these objects.
  package init?(_ path: ObjectPath) {
    guard path == Self.manager || path.isBelow(Self.manager) else { return nil }
    // By bytes: by characters this costs ten times as much, and each message has a path.
    let elements = path.text.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    switch elements.count {
    case 2: self = .bluez
    case 3: self = .adapter(name: String(elements[2]))
    default: self.init(adapter: String(elements[2]), below: elements.dropFirst(3))
    }
  }

  private init?(adapter: String, below: ArraySlice<Substring>) {
    var rest = below
    guard let address = Self.address(in: rest.removeFirst()) else { return nil }
    guard let first = rest.popFirst() else {
      self = .device(adapter: adapter, address: address)
      return
    }
    guard let service = Self.handle(in: first, after: "service") else { return nil }
    guard let second = rest.popFirst() else {
      self = .service(adapter: adapter, address: address, handle: service)
      return
    }
    guard let declaration = Self.handle(in: second, after: "char") else { return nil }
    guard let third = rest.popFirst() else {
      self = .characteristic(
        adapter: adapter, address: address, service: service, handle: declaration
      )
      return
    }
    guard let handle = Self.handle(in: third, after: "desc"), rest.isEmpty else { return nil }
    self = .descriptor(
      adapter: adapter, address: address, service: service, characteristic: declaration,
      handle: handle
    )
  }

  /// The address in the path of a device; nil for any other path.
  package static func address(ofDevice path: ObjectPath) -> BluetoothAddress? {
    address(in: path.lastElement[...])
  }

  private static func address(in element: Substring) -> BluetoothAddress? {
    after("dev_", in: element).flatMap { BluetoothAddress(String($0)) }
  }

  private static func handle(in element: Substring, after prefix: String) -> UInt16? {
    after(prefix, in: element).flatMap { $0.utf8.count == 4 ? UInt16($0, radix: 16) : nil }
  }

  private static func after(_ prefix: String, in element: Substring) -> Substring? {
    guard element.utf8.starts(with: prefix.utf8) else { return nil }
    return Substring(element.utf8.dropFirst(prefix.utf8.count))
  }

  /// The path of the device that a path equals or is below; nil for any other path.
  package static func devicePath(containing path: ObjectPath) -> ObjectPath? {
    guard path.isBelow(manager) else { return nil }
    // "/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF" ends at the fifth slash.
    var slashes = 0
    let end = path.text.utf8.firstIndex { octet in
      if octet == UInt8(ascii: "/") { slashes += 1 }
      return slashes == 5
    }
    let device = end.map { Self.path(String(path.text[..<$0])) } ?? path
    return slashes >= 4 && address(ofDevice: device) != nil ? device : nil
  }

  /// The handle in the last element of the path, for services, characteristics and descriptors.
  package var handle: UInt16? {
    switch self {
    case .bluez, .adapter, .device: nil
    case .service(_, _, let handle), .characteristic(_, _, _, let handle),
      .descriptor(_, _, _, _, let handle):
      handle
    }
  }
}

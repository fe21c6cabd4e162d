// Creates log entries from calls to org.bluez and events at the devices.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension BoundaryLog {
  /// The device and attribute that an object path stands for.
  typealias Place = (device: BluetoothAddress?, attribute: BluetoothUUID?)

  /// Logs a call of a client.
  ///
  /// - Parameter place: The called object.
  func called(_ call: Message, at time: Duration, place: Place) {
    add(
      at: time, client: call.sender ?? "", Self.event(of: call), device: place.device,
      attribute: place.attribute,
      octets: call.member == GattCharacteristic1.writeValue.name
        ? call.body.first?.asBytes ?? [] : []
    )
  }

  func happened(_ event: SimulatorEvent, at time: Duration) {
    typealias Event = BoundaryEntry.Event
    let word =
      switch event {
      case .linkUp: Event.linkUp
      case .linkDown: Event.linkDown
      case .read: Event.read
      case .written: Event.written
      case .subscribed: Event.subscribed
      case .unsubscribed: Event.unsubscribed
      case .notified: Event.notified
      case .paired(_, let security): "\(Event.paired)-\(security.rawValue)"
      case .scanning(let isOn): isOn ? Event.scanOn : Event.scanOff
      }
    let (_, device, attribute, octets) = event.parts
    add(at: time, word, device: device, attribute: attribute, octets: octets)
  }

  /// The name of a call: `Device1.Connect`, or `Adapter1.Powered=true` for a property.
  private static func event(of call: Message) -> String {
    let interface = last(call.interface ?? "")
    let member = call.member ?? ""
    let method = interface.isEmpty ? member : "\(interface).\(member)"
    guard call.interface == "org.freedesktop.DBus.Properties",
      let owner = call.body.first?.asString.map(last)
    else { return method }
    let property = call.body.count > 1 ? call.body[1].asString : nil
    guard let property else { return "\(method) \(owner)" }
    guard member == "Set", call.body.count > 2 else { return "\(method) \(owner).\(property)" }
    return "\(owner).\(property)=\(shown(call.body[2]))"
  }

  private static func last(_ interface: String) -> String {
    interface.split(separator: ".").last.map(String.init) ?? interface
  }

  private static func shown(_ value: DBusValue) -> String {
    if let isTrue = value.asBool { return "\(isTrue)" }
    if let number = value.asUInt32 { return "\(number)" }
    return value.asString ?? "(\(value.unwrapped.signature.text))"
  }
}

extension BlueZSimulator {
  /// The device and attribute of an object path.
  func place(of path: ObjectPath?) -> BoundaryLog.Place {
    guard let path, let place = BlueZPath(path),
      let devicePath = BlueZPath.devicePath(containing: path)
    else { return (nil, nil) }
    let remote = present.all.flatMap(\.devices).first { $0.path == devicePath }
    guard let remote else { return (place.address, nil) }
    let table = remote.device.table
    let attribute: BluetoothUUID? =
      switch place {
      case .service(_, _, let handle): table.services.first { $0.handle == handle }?.uuid
      case .characteristic(_, _, _, let handle): table.characteristic(at: handle &+ 1)?.uuid
      case .descriptor(_, _, _, _, let handle): table.descriptor(at: handle)?.uuid
      case .bluez, .adapter, .device: nil
      }
    return (remote.device.definition.address, attribute)
  }
}

extension BlueZPath {
  /// The address of the device in the path.
  fileprivate var address: BluetoothAddress? {
    switch self {
    case .bluez, .adapter: nil
    case .device(_, let address), .service(_, let address, _),
      .characteristic(_, let address, _, _), .descriptor(_, let address, _, _, _):
      address
    }
  }
}

// The description of a property of org.bluez: its name, type, access and presence.
//
// Data only. The client decodes with it, the simulator serves it, and Introspect describes it.

package import Bluetooth
package import DBus

/// A property of an interface.
package struct Property<Value: Sendable>: AnyProperty {
  package let interface: String
  package let name: String
  /// The codec of its values.
  package let codec: Codec<Value>
  package let access: Access
  package let presence: Presence
  package let since: BlueZChange?

  package init(
    _ name: String, _ codec: Codec<Value>, of interface: String, access: Access = .read,
    presence: Presence = .always, since: BlueZChange? = nil
  ) {
    self.name = name
    self.codec = codec
    self.interface = interface
    self.access = access
    self.presence = presence
    self.since = since
  }

  package var signature: Signature { codec.signature }
}

/// A property without its Swift type, for lists and reports.
package protocol AnyProperty: Sendable {
  /// The interface of the property.
  var interface: String { get }
  /// The name of the property.
  var name: String { get }
  /// The D-Bus type of its values.
  var signature: Signature { get }
  /// Whether clients may set it.
  var access: Access { get }
  /// The condition under which an object has it.
  var presence: Presence { get }
  /// The change with which it came; nil for all releases. Until then it was experimental or absent.
  var since: BlueZChange? { get }
}

extension AnyProperty {
  /// Whether a release describes the property.
  package func isDescribed(by version: BlueZVersion) -> Bool {
    presence != .experimental && since.map(version.has) ?? true
  }
}

/// Whether clients may set a property.
package enum Access: Hashable, Sendable {
  case read
  case readWrite
}

/// The condition under which an object has a property that its interface describes.
package enum Presence: Hashable, Sendable {
  case always
  /// When bluetoothd knows a value.
  case known
  /// While the device is in range during discovery.
  case discovered
  /// While the device is connected.
  case connected
  /// When the characteristic has one of these characteristic properties.
  case having(CharacteristicProperties)
  /// When bluetoothd runs with experimental interfaces; otherwise not even described.
  case experimental
}

// MARK: Reading and making

extension PropertyMap {
  /// The value of a property; nil if it is absent or has another type. Setting nil removes it.
  package subscript<Value>(property: Property<Value>) -> Value? {
    get { self[property.name].flatMap(property.codec.decode) }
    set { self[property.name] = newValue.map(property.codec.encode) }
  }
}

extension ExportedProperty {
  /// Serves a read-only property.
  package init<Value>(_ property: Property<Value>, get: @escaping @Sendable () -> Value?) {
    precondition(property.access == .read, "\(property.name) can be set")
    self.init(property.name, property.signature) { get().map(property.codec.encode) }
  }

  /// Serves a property that can be read and written.
  ///
  /// - Parameter set: Receives a new value, and replies to the call.
  package init<Value>(
    _ property: Property<Value>,
    set: @escaping @Sendable (_ value: Value, _ call: Invocation) -> Void,
    get: @escaping @Sendable () -> Value?
  ) {
    precondition(property.access == .readWrite, "\(property.name) cannot be set")
    self.init(
      property.name, property.signature,
      set: { value, call in
        guard let value = property.codec.decode(value) else {
          return call.fail(ErrorAnswer.invalidArguments.dbusError)
        }
        set(value, call)
      },
      get: { get().map(property.codec.encode) }
    )
  }
}

extension ObjectServer {
  /// Announces, with the next flush, that a property has changed, appeared or disappeared.
  package func changed(_ property: any AnyProperty, at path: ObjectPath) {
    changed(property.name, of: property.interface, at: path)
  }

  /// Announces a property at once, so that each of several successive values is announced.
  package func announce(_ property: any AnyProperty, at path: ObjectPath) {
    announce(property.name, of: property.interface, at: path)
  }
}

// MARK: Types

extension Codec<BluetoothAddress> {
  /// `s`
  package static var address: Codec {
    Codec(
      "s", decode: { $0.asString.flatMap { BluetoothAddress($0) } }, encode: { .string("\($0)") }
    )
  }
}

extension Codec<BluetoothUUID> {
  /// `s`, the long form in lower case.
  package static var uuid: Codec {
    Codec("s", decode: { $0.asString.flatMap { BluetoothUUID($0) } }, encode: { .string($0.text) })
  }
}

extension Codec<[BluetoothUUID]> {
  /// `as`; texts that are not valid UUIDs are left out.
  package static var uuids: Codec {
    Codec(
      "as", decode: { $0.asStrings?.compactMap { BluetoothUUID($0) } },
      encode: { .strings($0.map(\.text)) }
    )
  }
}

extension Codec<CharacteristicProperties> {
  /// `as`
  package static var flags: Codec {
    Codec(
      "as", decode: { $0.asStrings.map { CharacteristicProperties(flags: $0) } },
      encode: { .strings($0.flags) }
    )
  }
}

extension Codec<[(company: UInt16, data: [UInt8])]> {
  /// `a{qv}` of `ay`
  package static var companyData: Codec {
    Codec("a{qv}") { value in
      guard case .dictionary(let entries) = value.unwrapped else { return nil }
      return entries.entries.compactMap { entry in
        guard let company = entry.key.asUInt16, let data = entry.value.asBytes else { return nil }
        return (company, data)
      }
    } encode: { data in
      .dictionary(ofVariants: "q", data.map { (key: .uint16($0.company), value: .bytes($0.data)) })
    }
  }
}

extension Codec<DBusValue> {
  /// `a{oa{sv}}`, not interpreted.
  package static var deviceSets: Codec {
    Codec("a{oa{sv}}", decode: { $0 }, encode: { $0 })
  }
}

extension Codec<[(type: UInt8, data: [UInt8])]> {
  /// `a{yv}` of `ay`
  package static var advertisingData: Codec {
    Codec("a{yv}") { value in
      guard case .dictionary(let entries) = value.unwrapped else { return nil }
      return entries.entries.compactMap { entry in
        guard let type = entry.key.asByte, let data = entry.value.asBytes else { return nil }
        return (type, data)
      }
    } encode: { data in
      .dictionary(ofVariants: "y", data.map { (key: .byte($0.type), value: .bytes($0.data)) })
    }
  }
}

extension Codec<[(service: BluetoothUUID, data: [UInt8])]> {
  /// `a{sv}` of `ay`
  package static var serviceData: Codec {
    Codec("a{sv}") { value in
      value.asPropertyMap?.entries.compactMap { entry in
        guard let uuid = BluetoothUUID(entry.name), let data = entry.value.asBytes else {
          return nil
        }
        return (uuid, data)
      }
    } encode: { data in
      .properties(PropertyMap(data.map { ($0.service.text, .bytes($0.data)) }))
    }
  }
}

extension DBusValue {
  /// A dictionary whose values are variants.
  ///
  /// - Precondition: The keys have the type `key`.
  fileprivate static func dictionary(
    ofVariants key: Signature, _ entries: [(key: DBusValue, value: DBusValue)]
  ) -> DBusValue {
    do {
      return try .dictionary(key: key, value: "v", entries.map { ($0.key, .variant(of: $0.value)) })
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

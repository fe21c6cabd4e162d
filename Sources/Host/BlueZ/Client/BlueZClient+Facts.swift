// The state of bluetoothd's adapters and connections, for diagnostics.

import BlueZInterfaces
public import Bluetooth
public import DBus
import Signals

/// An adapter as bluetoothd reports it.
public struct AdapterFacts: Hashable, Sendable {
  /// The object path: `/org/bluez/hci0`.
  public let path: ObjectPath
  /// `hci0`
  public let name: String
  /// The address of the adapter.
  public let address: BluetoothAddress?
  /// The name that people see.
  public let alias: String
  /// Whether it is powered.
  public let isPowered: Bool
  /// `off-blocked` and so on; nil before 5.73.
  public let powerState: String?
  /// Whether it scans, for any program.
  public let isDiscovering: Bool
  /// Whether it supports the central role.
  public let isCentral: Bool
  /// Whether clients can scan passively.
  public let offersPassiveScan: Bool

  /// An adapter with these properties.
  public init(
    path: ObjectPath, name: String, address: BluetoothAddress?, alias: String, isPowered: Bool,
    powerState: String? = nil, isDiscovering: Bool = false, isCentral: Bool = true,
    offersPassiveScan: Bool = false
  ) {
    self.path = path
    self.name = name
    self.address = address
    self.alias = alias
    self.isPowered = isPowered
    self.powerState = powerState
    self.isDiscovering = isDiscovering
    self.isCentral = isCentral
    self.offersPassiveScan = offersPassiveScan
  }
}

/// A connected device.
public struct LinkFacts: Hashable, Sendable {
  /// The object path of the device.
  public let path: ObjectPath
  /// The address of the device.
  public let address: BluetoothAddress
  /// The name of the device.
  public let name: String?
  /// Whether the device is paired with this host.
  public let isPaired: Bool

  /// A connection of this host.
  public init(path: ObjectPath, address: BluetoothAddress, name: String?, isPaired: Bool = false) {
    self.path = path
    self.address = address
    self.name = name
    self.isPaired = isPaired
  }
}

extension BlueZClient {
  /// The adapters, in order of index.
  ///
  /// One that is switched off or blocked is among them; one that is unplugged is not.
  ///
  /// ```swift
  /// for adapter in client.adapterFacts where !adapter.isPowered {
  ///   print("\(adapter.name) is off: \(adapter.powerState ?? "unknown reason")")
  /// }
  /// ```
  public var adapterFacts: [AdapterFacts] { withTree { $0.adapters } }

  /// The address of the adapter that a selector selects now; nil when none can be used.
  ///
  /// An adapter that is off cannot be used.
  ///
  /// ```swift
  /// let address = client.usableAddress(.name("hci1"))
  /// print(address.map { "hci1 is \($0)" } ?? "hci1 is missing or off")
  /// ```
  public func usableAddress(_ adapter: AdapterSelector) -> BluetoothAddress? {
    withTree { try? $0.usableAdapter(adapter) }?.address
  }

  /// The connected devices, in order of adapter and address.
  ///
  /// ```swift
  /// let connected = client.linkFacts.map { $0.name ?? "\($0.address)" }
  /// print("connected:", connected.joined(separator: ", "))
  /// ```
  public var linkFacts: [LinkFacts] {
    withTree { tree in
      tree.adapters.flatMap { tree.devices(of: $0.path) }.compactMap { path in
        guard let device = tree.advertisement(of: path), device.isConnected else { return nil }
        return LinkFacts(
          path: path, address: device.address, name: device.name, isPaired: device.isPaired
        )
      }
    }
  }

  /// The connected devices of an adapter that this program has not connected to, in order of
  /// address: other programs have.
  package func foreignLinks(of adapter: AdapterSelector) -> [BluetoothAddress] {
    let links = state.withLock { $0.links }
    return withTree { tree in
      guard let adapter = try? tree.usableAdapter(adapter) else { return [] }
      return tree.devices(of: adapter.path).compactMap { path in
        guard tree.isConnected(path), links[path]?.isOurs != true else { return nil }
        return tree.properties(Device1.interface, at: path)?[Device1.address]
      }
    }
  }

  /// The devices that an adapter has a bond with, in order of address; none for an adapter that
  /// cannot be used.
  ///
  /// - Source: BlueZ 5.66, `doc/device-api.txt` (Bonded; before 5.65 Paired alone).
  package func bondedDevices(of adapter: AdapterSelector) -> [BluetoothAddress] {
    withTree { tree in
      guard let adapter = try? tree.usableAdapter(adapter) else { return [] }
      return tree.devices(of: adapter.path).compactMap { path in
        let properties = tree.properties(Device1.interface, at: path)
        let isBonded = properties?[Device1.bonded] ?? properties?[Device1.paired] ?? false
        return isBonded ? properties?[Device1.address] : nil
      }
    }
  }

  /// Whether a program has subscribed to a characteristic of a device, or acquired one.
  ///
  /// As of the last reading of all objects, and without subscriptions of this program that started
  /// later. bluetoothd ends the subscriptions of programs that leave the bus, and reports no other
  /// use of a connection.
  ///
  /// ```swift
  /// for link in client.linkFacts where !client.hasSubscribers(link.path) {
  ///   print("\(link.address) is connected without subscribers")
  /// }
  /// ```
  ///
  /// - Source: BlueZ 5.66, `doc/gatt-api.txt` (Notifying, NotifyAcquired, WriteAcquired).
  public func hasSubscribers(_ device: ObjectPath) -> Bool {
    withTree { tree in
      tree.characteristics(of: device).contains { characteristic in
        let properties = tree.properties(GattCharacteristic1.interface, at: characteristic.path)
        let signs = [
          GattCharacteristic1.notifying, GattCharacteristic1.notifyAcquired,
          GattCharacteristic1.writeAcquired,
        ]
        return signs.contains { properties?[$0] == true }
      }
    }
  }

  /// Whether bluetoothd reports a device as connected.
  ///
  /// False for a device that bluetoothd does not know.
  ///
  /// ```swift
  /// let before = client.linkFacts
  /// _ = try await device.session { device.read("battery-level") }.first(within: .seconds(30))
  /// let dropped = before.filter { !client.isConnected($0.path) }
  /// ```
  public func isConnected(_ device: ObjectPath) -> Bool { withTree { $0.isConnected(device) } }

  /// Whether bluetoothd runs with its experimental interfaces, as far as its objects show.
  ///
  /// ```swift
  /// let filter = ScanFilter(isPassive: client.hasExperimentalInterfaces)
  /// let nearby = device.scan(filter).take(5).collect()
  /// ```
  public var hasExperimentalInterfaces: Bool {
    withTree { tree in
      tree.adapters.contains { tree.has(AdvertisementMonitorManager1.interface, at: $0.path) }
    }
  }
}

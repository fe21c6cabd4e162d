// The differences between releases of BlueZ that a client can see on D-Bus, one row each.
//
// Data only: interface declarations and the simulator ask `version.has(.change)`, and the table of
// releases in docs/testing.md is printed from it. 5.66 and 5.82 were compared message by message;
// other releases follow from the release that each row names.

/// A difference between releases of BlueZ.
public enum BlueZChange: String, CaseIterable, Sendable {
  case classicMedia, sets, plainFilters, handles, lastingServices, singleSecurityStep,
    controllerVersion, batteryInterfaces
  case emptyInterfaces, powerState, advertisingCapabilities, nameReadOnce, advertisingFlags
  case undiscoverableDevices, connectable, singleDisconnectSignal, pairedOnce, claimedServices
  case profileArguments, acquiredIndications, newestRemovedFirst, shorterGenericAccess
  case connectExcludesPair, pairingByChannel
  case disconnectReasons, cablePairing, autoConnect, acquireFailures, bearerInterfaces

  /// A row of the table.
  public struct Row: Sendable {
    /// The first release with the difference.
    public let since: BlueZVersion
    /// The first release without it again; nil: none.
    public let until: BlueZVersion?
    /// The object or interface.
    public let place: String
    /// The difference, as clients see it.
    public let text: String

    init(
      _ since: Int, until: Int? = nil, _ place: String, _ text: String
    ) {
      self.since = BlueZVersion(5, since)
      self.until = until.map { BlueZVersion(5, $0) }
      self.place = place
      self.text = text
    }
  }

  /// The row of the difference.
  ///
  /// - Source: BlueZ's history between the tags of its releases; what concerns 5.82 was seen on its
  ///   bluetoothd.
  public var row: Row {
    switch self {
    case .classicMedia:
      Row(67, "Media1 `SupportedUUIDs`", "empty on an adapter without BR/EDR")
    case .sets: Row(67, "Device1", "`Sets`")
    case .plainFilters:
      Row(
        67, "discovery filter",
        "one that only names `Discoverable` or the adapter's transport counts as none: changes of "
          + "RSSI below 8 dB are not signalled"
      )
    case .handles: Row(69, "services, characteristics, descriptors", "`Handle`")
    case .lastingServices:
      Row(
        69, "Device1 `UUIDs`",
        "also has the UUIDs of service data; advertised UUIDs stay once services are resolved"
      )
    case .singleSecurityStep:
      Row(
        71, "a request refused for lack of security",
        "security is raised once and the request repeated once; "
          + "without an agent, or if the pairing fails, the call is never answered, and the "
          + "connection stays"
      )
    case .controllerVersion: Row(71, "Adapter1", "`Manufacturer`, `Version`")
    case .batteryInterfaces:
      Row(71, "Battery1, Adapter", "`Source`; the adapter has `BatteryProviderManager1`")
    case .powerState: Row(73, "Adapter1", "`PowerState`")
    case .emptyInterfaces:
      Row(76, "Adapter, `/org/bluez/test`", "`SimAccess1`, `SimAccessTest1`, and its service UUID")
    case .advertisingCapabilities:
      Row(77, "LEAdvertisingManager1", "`SupportedFeatures`, `SupportedCapabilities`")
    case .nameReadOnce:
      Row(77, "Device1 `Name`", "the Device Name is read on the first connection only")
    case .advertisingFlags: Row(78, "Device1", "`AdvertisingFlags`")
    case .undiscoverableDevices:
      Row(
        78, until: 83, "discovery",
        "a connectable device that a filter's pattern excludes still gets an object, without "
          + "advertised data"
      )
    case .connectable: Row(79, "Adapter1", "`Connectable`")
    case .singleDisconnectSignal:
      Row(
        79, "the end of a connection",
        "`ServicesResolved` and `Connected` change in one signal, and Disconnect is answered after it"
      )
    case .pairedOnce:
      Row(79, "Pair", "of a paired device is refused: `AlreadyExists`; before, it is not answered")
    case .claimedServices:
      Row(
        80, "GATT services",
        "Generic Access is exported; it, Battery and Device Information cannot be written: "
          + "`NotAuthorized`"
      )
    case .profileArguments:
      Row(80, "ConnectProfile, DisconnectProfile", "an unknown name is `InvalidArguments`")
    case .acquiredIndications: Row(80, "AcquireNotify", "also for indications")
    case .newestRemovedFirst: Row(80, "removal of several devices", "the newest first")
    case .connectExcludesPair:
      Row(81, "Connect, Pair", "`InProgress` while the other, or another Connect, is under way")
    case .pairingByChannel:
      Row(
        81, "Pair",
        "with the capability that the default agent had when the connection was made; further "
          + "requests, and those that resolve services, wait until the device is paired, and after a "
          + "pairing that fails they are not sent on that connection"
      )
    case .shorterGenericAccess:
      Row(80, "GattManager1", "the services of programs begin at a handle that is two lower")
    case .disconnectReasons: Row(83, "Device1", "the signal `Disconnected`, with the reason")
    case .cablePairing: Row(83, "Device1", "`CablePairing`")
    case .autoConnect: Row(83, "discovery filter", "`AutoConnect`")
    case .acquireFailures:
      Row(84, "AcquireNotify", "is answered when the device refuses the subscription")
    case .bearerInterfaces: Row(84, "devices", "`org.bluez.Bearer.LE1`, without members")
    }
  }
}

extension BlueZVersion {
  /// Whether a release has a difference.
  public func has(_ change: BlueZChange) -> Bool {
    let row = change.row
    return self >= row.since && (row.until.map { self < $0 } ?? true)
  }
}

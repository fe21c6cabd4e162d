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
  case undiscoverableDevices, connectable, singleDisconnectSignal, claimedServices, profileArguments
  case acquiredIndications, newestRemovedFirst, connectExcludesPair, pairingByChannel
  case disconnectReasons, cablePairing, autoConnect, acquireFailures, bearerInterfaces

  /// A row of the table.
  public struct Row: Sendable {
    /// The first release with the difference.
    public let since: BlueZVersion
    /// The first release without it again; nil: none.
    public let until: BlueZVersion?
    /// The object or interface.
    public let place: String
    /// What a client sees there.
    public let text: String

    /// Whether the simulated bluetoothd has it, too.
    public var isSimulated = true

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
    var row = described
    row.isSimulated = ![
      .singleSecurityStep, .nameReadOnce, .newestRemovedFirst, .autoConnect, .bearerInterfaces,
    ].contains(self)
    return row
  }

  private var described: Row {
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
          + "if the connection drops meanwhile, the call is not answered"
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
        "of a connected device: with the capability of the default agent; otherwise services are "
          + "resolved after the pairing, and after one that fails not on that connection"
      )
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

// The actions on a simulated world, for scenarios, the control interface, tests in Swift and seeded
// worlds.
//
// Data only: BlueZSimulator and its ScenarioPlayer perform them, Steering checks them. Faults of
// single operations are OperationFaults, which devices have as rules.

public import Bluetooth

/// An action on the simulated world.
public enum WorldAction: Sendable, Hashable {
  /// Changes a device, or its connection.
  case device(BluetoothAddress, DeviceChange)
  /// Changes an adapter, given by its index in the host from 0.
  case adapter(Int, AdapterChange)
  /// Ends bluetoothd: terminated or killed.
  case endDaemon(isKilled: Bool)
  /// Starts bluetoothd.
  case startDaemon
  /// Closes the message bus, which disconnects every client.
  case closeBus
  /// Sets the treatment of calls to bluetoothd.
  case calls(CallSelection, CallTreatment)
  /// Makes another program on the bus act.
  case otherProgram(OtherProgramAction)
  /// Ends every other program.
  case otherProgramsLeave
}

/// A change of a device, or of its link.
public enum DeviceChange: Sendable, Hashable {
  /// Drop the connection.
  case loseLink
  /// Move the device out of range, which drops its connection.
  case vanish
  /// Bring the device back into range.
  case appear
  /// Delete the device's bond keys; hosts keep theirs.
  case loseBonds
  /// Send a Security Request, which asks the host to pair.
  case requestSecurity
  /// Start or stop offering a service.
  case offer(BluetoothUUID, Bool)
  /// Remove a service without an indication, as another firmware would.
  /// False: restore it.
  case replace(BluetoothUUID, Bool)
  /// Set how service discovery ends on the next links.
  case services(ServiceResolution)
  /// Set the fault of notifications and indications.
  case notifications(NotificationFault)
  /// Replace the fault rules.
  case rules([FaultRule])
  /// Add a fault rule.
  case rule(FaultRule)
  /// Change the RSSI evenly to this many dBm within a duration.
  case move(to: Int, within: Duration = .zero)
  /// Move the RSSI like this; nil: as in the definition, or in the last set advertisement.
  case follow(SignalMovement?)
  /// Vary the RSSI by this many dB to either side.
  case stray(Int)
  /// Set the value of a characteristic, as if the device had changed it. A generated value stays
  /// constant.
  case set([UInt8], handle: UInt16)
  /// Let the value be generated again.
  case release(handle: UInt16)
  /// Replace the first advertisement, which may end an earlier movement of the RSSI.
  case advertise(AdvertisementDefinition, endsMovement: Bool)
}

/// The order of `ServicesResolved` and the objects of services.
public enum ServiceResolution: Hashable, Sendable {
  /// Set after the last object is added.
  case inOrder
  /// Set this long before the first object is added.
  case early(Duration)
  /// Set without any objects.
  case empty
  /// Never set while the link is up; no objects.
  case never
}

/// The fault of notifications and indications.
public enum NotificationFault: Sendable, Hashable {
  /// Received once: no fault.
  case none
  /// Not received.
  case lost
  /// Received twice.
  case doubled
}

/// A change of an adapter.
public enum AdapterChange: Sendable, Hashable {
  /// Power on or off.
  case power(Bool)
  /// Unplug.
  case unplug
  /// Plug in with this index; nil: its own.
  case plugIn(Int?)
}

/// An action of another program on the bus.
public enum OtherProgramAction: Sendable, Hashable {
  /// The part of a characteristic that a single program can acquire.
  public enum AcquiredSide: Sendable, Hashable {
    /// The notifications.
    case notify
    /// The writes.
    case write
  }

  /// Remove the device.
  case remove(BluetoothAddress)
  /// Connect to the device, and keep the connection.
  case connect(BluetoothAddress)
  /// Connect to the device and die, which leaves the link up.
  case leaveLink(BluetoothAddress)
  /// Acquire the notifications or writes of a characteristic.
  case acquire(CharacteristicSelector, AcquiredSide, BluetoothAddress)
  /// Scan.
  case scan(adapter: Int)
}

/// Selects calls to bluetoothd.
public enum CallSelection: Sendable, Hashable {
  /// Requests of this kind to devices.
  case requests(FaultKind)
  /// Calls of a method such as `StartDiscovery`.
  case member(String)
}

/// The treatment of a call by the simulated bluetoothd.
public enum CallTreatment: Hashable, Sendable {
  /// Handle it normally.
  case take
  /// Handle it later, as if bluetoothd were busy.
  case delay(Duration)
  /// Ignore it: no effect, no reply.
  case ignore
  /// Handle it, but lose the reply.
  case loseAnswer
  /// Fail without effect, as a host does that tries the wrong transport.
  case wrongTransport
}

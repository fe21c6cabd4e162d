// What can be done to a simulated world: the one vocabulary of scenarios, of the control interface,
// of tests in Swift and of worlds that are drawn from a seed.
//
// Data only. BlueZSimulator and its ScenarioPlayer perform it; Steering checks what people ask for.
// A fault of a single operation is an OperationFault, which a device gets as a rule.

public import Bluetooth

/// One thing that is done to the simulated world.
public enum WorldAction: Sendable, Hashable {
  /// Something happens to a device, or to its connection.
  case device(BluetoothAddress, DeviceChange)
  /// Adapters are counted from 0, in the order of the host's.
  case adapter(Int, AdapterChange)
  /// bluetoothd ends, by itself or killed.
  case endDaemon(isKilled: Bool)
  /// bluetoothd starts.
  case startDaemon
  /// The message bus ends, with everybody on it.
  case closeBus
  /// From now on calls to bluetoothd are treated like this.
  case calls(CallSelection, CallTreatment)
  /// Another program on the bus does something.
  case otherProgram(OtherProgramAction)
  /// Every other program ends.
  case otherProgramsLeave
}

/// What happens to a device and to its link.
public enum DeviceChange: Sendable, Hashable {
  /// The connection drops.
  case loseLink
  /// The device disappears, and its connection with it.
  case vanish
  /// The device is back.
  case appear
  /// It no longer has the keys of its bonds; hosts have them still.
  case loseBonds
  /// It begins or ceases to offer a service.
  case offer(BluetoothUUID, Bool)
  /// It has other firmware, without a service, and does not announce the change.
  /// False: it has the earlier firmware again.
  case replace(BluetoothUUID, Bool)
  /// How its services come to be known on its next links.
  case services(ServiceResolution)
  /// What happens to what it sends by itself.
  case notifications(NotificationFault)
  /// These rules in place of those that it has.
  case rules([FaultRule])
  /// One more rule.
  case rule(FaultRule)
  /// Its RSSI changes evenly to this many dBm within a time, and stays there.
  case move(to: Int, within: Duration = .zero)
  /// Its RSSI moves like this; nil: as in its definition again, or as it was last advertised.
  case follow(SignalMovement?)
  /// Its RSSI varies by so many dB to either side.
  case stray(Int)
  /// The value of the characteristic at a handle, as if the device had changed it. A value that
  /// changes by itself stays constant.
  case set([UInt8], handle: UInt16)
  /// The value at a handle changes by itself again.
  case release(handle: UInt16)
  /// Its first advertisement, which may end what moving the device did to its RSSI.
  case advertise(AdvertisementDefinition, endsMovement: Bool)
}

/// When `ServicesResolved` is set, relative to the objects of the services.
public enum ServiceResolution: Hashable, Sendable {
  /// It is set after the last object.
  case inOrder
  /// It is set this long before the first object.
  case early(Duration)
  /// It is set, and there is no object.
  case empty
  /// It is not set as long as the link is up, and there is no object.
  case never
}

/// What happens to everything that a device sends by itself.
public enum NotificationFault: Sendable, Hashable {
  /// It is received once.
  case none
  /// It is not received.
  case lost
  /// It is received twice.
  case doubled
}

/// What happens to an adapter.
public enum AdapterChange: Sendable, Hashable {
  /// It is switched.
  case power(Bool)
  /// It is pulled out.
  case unplug
  /// It is put in under a number; nil: its own.
  case plugIn(Int?)
}

/// What another program on the bus does.
public enum OtherProgramAction: Sendable, Hashable {
  /// What one program may have of a characteristic for itself alone.
  public enum AcquiredSide: Sendable, Hashable {
    /// The notifications.
    case notify
    /// The writes.
    case write
  }

  /// It forgets the device.
  case remove(BluetoothAddress)
  /// It connects to the device, and stays.
  case connect(BluetoothAddress)
  /// It connects to the device and dies, which ends no link.
  case leaveLink(BluetoothAddress)
  /// It acquires a device's notifications, or the writes to it, for itself alone.
  case acquire(CharacteristicSelector, AcquiredSide, BluetoothAddress)
  /// It scans.
  case scan(adapter: Int)
}

/// Which calls to bluetoothd are meant.
public enum CallSelection: Sendable, Hashable {
  /// Requests to devices of a kind.
  case requests(FaultKind)
  /// Calls of a method, such as `StartDiscovery`.
  case member(String)
}

/// How the simulated bluetoothd treats a call.
public enum CallTreatment: Hashable, Sendable {
  /// At once, as it should be.
  case take
  /// Later, as by a bluetoothd that is busy.
  case delay(Duration)
  /// Never: it has no effect, and no answer comes.
  case ignore
  /// It takes effect, and its answer is lost.
  case loseAnswer
  /// It has no effect, and fails as on a host that tried the wrong transport.
  case wrongTransport
}

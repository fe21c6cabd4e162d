// A fault that befalls the world rather than one operation.

public import Bluetooth

/// Something that happens to devices, links, the adapter or bluetoothd, and when.
public struct Blow: Sendable, Hashable {
  /// What sets it off.
  public enum Trigger: Sendable, Hashable {
    /// So long after the start; then, with `every`, again and again, `times` in all.
    case at(Duration, every: Duration? = nil, times: Int? = nil)
    /// At a moment that is drawn from the seed.
    case between(Duration, Duration)
    /// After something has happened, counted from 1.
    case after(WorldEvent.Pattern, FaultOccurrence, delay: Duration)
  }

  public var trigger: Trigger
  /// Looked at when it is to strike.
  public var condition: FaultCondition?
  public var strokes: [Stroke]

  public init(_ trigger: Trigger, if condition: FaultCondition? = nil, _ strokes: [Stroke]) {
    self.trigger = trigger
    self.condition = condition
    self.strokes = strokes
  }
}

/// One part of a blow.
public struct Stroke: Sendable, Hashable {
  /// Since the blow.
  public var delay: Duration
  public var action: WorldAction

  public init(after delay: Duration = .zero, _ action: WorldAction) {
    self.delay = delay
    self.action = action
  }
}

/// What is done to the world.
public enum WorldAction: Sendable, Hashable {
  /// How the services of a device come to be known from now on.
  public enum Services: Sendable, Hashable {
    case inOrder
    /// They are told to be known, so long before they are.
    case early(Duration)
    /// They are told to be known, and there are none.
    case empty
    case never
  }

  /// What one program may have of a characteristic for itself alone.
  public enum AcquiredSide: Sendable, Hashable {
    case notify, write
  }

  /// What becomes of requests to bluetoothd.
  public enum Treatment: Sendable, Hashable {
    /// They have no effect and no answer.
    case ignored
    /// They have their effect, and no answer.
    case withoutAnswer
    case delayed(Duration)
    /// A Connect is answered as by a host that tried the wrong transport.
    case wrongTransport
  }

  case loseLink(BluetoothAddress)
  case vanish(BluetoothAddress)
  case appear(BluetoothAddress)
  case offer(BluetoothUUID, Bool, BluetoothAddress)
  /// The device has other firmware, without a service; what was read of it before says nothing of
  /// that. False: it has the earlier one again.
  case replace(BluetoothUUID, Bool, BluetoothAddress)
  case services(Services, BluetoothAddress)
  case notifications(NotificationFault, BluetoothAddress)
  /// An adapter is switched. Adapters are counted from 0, in the order of the host's.
  case power(Bool, adapter: Int = 0)
  case unplug(adapter: Int = 0)
  /// An adapter is put in under a number; nil: its own.
  case plugIn(Int?, adapter: Int = 0)
  /// bluetoothd ends, by itself or killed.
  case endDaemon(isKilled: Bool)
  case startDaemon
  /// The message bus ends, with everybody on it.
  case closeBus
  /// Requests of one kind are treated so; nil: as they should be.
  case requests(FaultKind, Treatment?)
  /// Another program forgets the device.
  case otherRemoves(BluetoothAddress)
  /// Another program connects to the device, and stays.
  case otherConnects(BluetoothAddress)
  /// Another program connects to the device and dies, which ends no link.
  case otherLeavesLink(BluetoothAddress)
  /// Another program takes a device's notifications, or the writes to it, for itself alone.
  case otherAcquires(CharacteristicSelector, AcquiredSide, BluetoothAddress)
  /// Another program scans.
  case otherScans(adapter: Int = 0)
  /// Every other program ends.
  case othersLeave
}

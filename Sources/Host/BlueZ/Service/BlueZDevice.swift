// A device behind bluetoothd, as users of the module have it.
//
// BlueZOperations performs the operations.

public import Bluetooth
package import DBus
public import Signals

/// A device behind bluetoothd.
///
/// The device is identified by its target, not by its object: when bluetoothd removes it, the next
/// `connect` finds it again.
public final class BlueZDevice: Device {
  private let device: BlueZOperations

  /// Describes the operations on a device. Nothing is looked up yet.
  ///
  /// ```swift
  /// let loop = EventLoop()
  /// let client = try await BlueZClient.open(on: loop)
  /// let thermometer = BlueZDevice(
  ///   client: client, target: .name("Thermo*"), scheduler: SerialScheduler(on: loop))
  /// ```
  ///
  /// - Parameters:
  ///   - client: The client of bluetoothd.
  ///   - target: Which device.
  ///   - adapter: Which adapter.
  ///   - options: How to connect.
  ///   - scheduler: The scheduler in whose turns the operations run.
  ///   - bindKeys: The keys of devices that encrypt what they advertise, for scans.
  ///   - meter: Measures the connection for `rssi`, which bluetoothd cannot.
  ///   - notices: Receives changes of the services.
  /// - Precondition: `scheduler` is on the loop of the client's bus.
  public init(
    client: BlueZClient, target: DeviceTarget, adapter: AdapterSelector = .first,
    options: ConnectOptions = ConnectOptions(), scheduler: SerialScheduler,
    bindKeys: BindKeys = .none, meter: (any LinkMeter)? = nil,
    notices: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
  ) {
    device = BlueZOperations(
      client: client, target: target, adapter: adapter, options: options, scheduler: scheduler,
      bindKeys: bindKeys, meter: meter, notify: notices
    )
  }

  /// bluetoothd.
  public var client: BlueZClient { device.client }
  /// The target device.
  public var target: DeviceTarget { device.target }
  /// The adapter to use.
  public var adapter: AdapterSelector { device.adapter }
  /// How it connects.
  public var options: ConnectOptions { device.options }
  public var scheduler: SerialScheduler { device.scheduler }
  public var deviceDescription: String { device.deviceDescription }
  public var name: String? { device.name }
  public var candidates: [DeviceCandidate] { device.candidates }
  public var hasBond: Bool { device.hasBond }
  public var address: BluetoothAddress? { device.address }
  public func restrict(to address: BluetoothAddress?) {
    device.state.withLock { $0.only = address }
  }
  public var operations: any DeviceOperations { device }

  /// The object of the device, once it was found.
  package var object: ObjectPath? { device.state.withLock { $0.device } }

  public func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>> {
    device.startScan(filter)
  }

  public func subscribe(
    _ characteristic: CharacteristicSelector, _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>> {
    device.subscribe(characteristic, options)
  }

  public func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter> {
    device.acquireWriter(characteristic)
  }

  public func answering<Value: Sendable>(
    _ answers: PairingAnswers, _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    device.answering(answers, body)
  }

  /// Ends the attempt to connect of a program that is gone.
  package func endAbandonedAttempt() -> Signal<Void> {
    operation("ending an attempt to connect") { [device] _ in
      try await device.endAbandonedAttempt()
    }
  }
}

// The steps of a chain.

import BlueZ
import Bluetooth
import Signals

indirect enum ChainStep: Hashable, Sendable {
  case connect(keep: Bool)
  case disconnect
  case services
  case mtu
  case read(BluetoothUUID)
  case readDescriptor(BluetoothUUID, of: BluetoothUUID)
  case write(BluetoothUUID, [UInt8], WriteKind)
  /// Collects `count` values, or fewer if the limit passes first.
  case notify(BluetoothUUID, count: Int, SubscriptionOptions)
  /// A write whose value the characteristic then notifies.
  case exchange(BluetoothUUID, [UInt8], SubscriptionOptions)
  case pair
  case unpair
  /// A scan of that duration.
  case scan(Duration)
  case rest(Duration)
  /// A step with its own limit.
  case within(Duration, ChainStep)

  var bare: ChainStep {
    if case .within(_, let step) = self { step.bare } else { self }
  }
}

extension ChainStep {
  /// The step as an operation on a device.
  func signal(_ service: BlueZDevice) -> Signal<StepValue> {
    func selector(_ uuid: BluetoothUUID) -> CharacteristicSelector {
      CharacteristicSelector(characteristic: uuid)
    }
    switch self {
    case .connect(let keep): return service.connect(keep: keep, expecting: []).map { .origin($0) }
    case .disconnect: return service.disconnect().map { .nothing }
    case .services: return service.services().map { _ in .nothing }
    case .mtu: return service.mtu().map { _ in .nothing }
    case .read(let uuid): return service.read(selector(uuid)).map { .octets($0) }
    case .readDescriptor(let uuid, let characteristic):
      let descriptor = DescriptorSelector(of: selector(characteristic), descriptor: uuid)
      return service.readDescriptor(descriptor).map { .octets($0) }
    case .write(let uuid, let value, let kind):
      return service.write(value, to: selector(uuid), kind: kind).map { .nothing }
    case .notify(let uuid, let count, let options):
      return service.subscribe(selector(uuid), options).flattenMap { events in
        events.take(count).collect()
      }.map { .events($0) }
    case .exchange(let uuid, let value, let options):
      let isAnswer: @Sendable (NotifiedValue) -> Bool = { $0.value == value }
      return service.exchange(
        write: value, to: selector(uuid), expectingOn: selector(uuid), options: options,
        where: isAnswer
      ).map { .octets($0.notification.value) }
    case .pair: return service.pair(PairingAnswers()).map { _ in .nothing }
    case .unpair: return service.unpair().map { .nothing }
    case .scan(let duration):
      let over = Signal.just(()).delay(duration)
      return service.startScan(ScanFilter()).flattenMap { $0.takeUntil(over) }.collect().map { _ in
        .nothing
      }
    case .rest(let duration): return Signal.just(.nothing).delay(duration)
    case .within(let limit, let step): return step.signal(service).timeout(limit, "\(step)")
    }
  }
}

extension ChainStep: CustomStringConvertible {
  var description: String {
    switch self {
    case .connect(let keep): keep ? "connect and keep" : "connect"
    case .disconnect: "disconnect"
    case .services: "services"
    case .mtu: "mtu"
    case .read(let uuid): "read \(uuid)"
    case .readDescriptor(let uuid, let characteristic): "read \(uuid) of \(characteristic)"
    case .write(let uuid, let value, let kind): "write \(uuid) \(value) as \(kind.rawValue)"
    case .notify(let uuid, let count, let options):
      "\(count) values of \(uuid) by \(options.delivery.rawValue), on loss \(options.onLinkLoss)"
    case .exchange(let uuid, let value, let options):
      "exchange \(value) on \(uuid) by \(options.delivery.rawValue)"
    case .pair: "pair"
    case .unpair: "unpair"
    case .scan(let duration): "scan for \(duration)"
    case .rest(let duration): "rest \(duration)"
    case .within(let limit, let step): "\(step) within \(limit)"
    }
  }
}

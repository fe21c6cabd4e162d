// The parameters of a named fault, except its timing.

import Bluetooth
import Documents

/// The values of a fault's parameters, with their defaults.
struct FaultSettings: Sendable {
  /// `on`: the affected operations.
  var kind = FaultKind.any
  /// `do`: the action of a rule.
  var action = OperationFault.none
  var characteristic: CharacteristicSelector?
  var error = ATTErrorCode.unlikelyError
  /// `by`: the additional delay.
  var delay = Duration.zero
  /// `limit`: the maximum number of links.
  var limit = 1
  var mtu = 23
  var signal = AdvertisedSignal()
  /// `interval`: the time between two advertisements.
  var interval = Duration.milliseconds(100)
  var service: BluetoothUUID?
  /// `for`; nil: permanent.
  var duration: Duration?
  /// `gap`: the time from one device to the next.
  var gap = Duration.zero
  /// `number`: the new index of the adapter; nil: the next one.
  var number: Int?
  /// `adapter`: the index of the adapter in the host, from 0.
  var adapter = 0
}

/// One parameter of a named fault, with its default.
struct FaultParameter: Sendable {
  let key: DeviceKey<FaultEntry>
  /// The key in a device file, where its value refers to that device.
  let deviceKey: DeviceKey<FaultEntry>
  /// Sets the default of a missing key.
  let prepare: @Sendable (inout FaultSettings) -> Void

  private init(
    _ key: DeviceKey<FaultEntry>, ofDevice deviceKey: DeviceKey<FaultEntry>? = nil,
    prepare: @escaping @Sendable (inout FaultSettings) -> Void = { _ in }
  ) {
    self.key = key
    self.deviceKey = deviceKey ?? key
    self.prepare = prepare
  }

  /// `on`, limited to these kinds of operations.
  static func on(_ kinds: [FaultKind], usual: FaultKind = .any) -> FaultParameter {
    FaultParameter(
      DeviceKey("on", \.settings.kind, .operation(among: kinds), "the operations it happens to")
    ) { $0.kind = usual }
  }

  /// `on` of a rule.
  static let operation = FaultParameter(
    DeviceKey(
      "on", \.settings.kind, .operation(among: FaultKind.allCases), isRequired: true,
      "the operations it affects; a `command` is a write without response"
    )
  )

  /// `do` of a rule.
  static let action = FaultParameter(
    DeviceKey(
      "do", \.settings.action, DeviceReader.operationFault, isRequired: true,
      "what happens to them, see below"
    )
  )

  static let characteristic = characteristic("only of this one")

  static func characteristic(usual: String = "", _ doc: String) -> FaultParameter {
    func key(_ shape: DeviceShape<CharacteristicSelector>) -> DeviceKey<FaultEntry> {
      DeviceKey("characteristic", \.settings.characteristic, shape, usual: usual, doc)
    }
    return FaultParameter(key(.targetCharacteristic), ofDevice: key(.reference(.several)))
  }

  /// `characteristic`, for a fault in which another program acquires it.
  static func acquired(_ expected: String) -> FaultParameter {
    FaultParameter(
      DeviceKey(
        "characteristic", \.settings.characteristic, .targetCharacteristic(expected),
        isRequired: true, "only of this one"
      )
    )
  }

  static let error = FaultParameter(
    DeviceKey("error", \.settings.error, .errorCode, "the error of the device")
  )

  static func by(_ usual: Duration) -> FaultParameter {
    FaultParameter(DeviceKey("by", \.settings.delay, .delay, "how much later")) { $0.delay = usual }
  }

  static let limit = FaultParameter(
    DeviceKey("limit", \.settings.limit, .integer(1...100), "how many devices may be connected")
  )

  static let mtu = FaultParameter(
    DeviceKey("mtu", \.settings.mtu, .integer(23...517), "the ATT MTU, in bytes")
  )

  static func rssi(_ usual: Int) -> FaultParameter {
    FaultParameter(DeviceKey("rssi", \.settings.signal, .signal, "the RSSI, or how it moves")) {
      $0.signal.rssi = usual
    }
  }

  static func interval(_ usual: Duration) -> FaultParameter {
    let range = Duration.milliseconds(20)...Duration.milliseconds(10_240)
    return FaultParameter(
      DeviceKey("interval", \.settings.interval, .duration(range), "the advertising interval")
    ) { $0.interval = usual }
  }

  static let service = FaultParameter(
    DeviceKey(
      "service", \.settings.service, .targetService, isRequired: true, "a service of the device"
    )
  )

  /// `for`; without a default the fault is permanent.
  static func lasting(_ usual: Duration? = nil) -> FaultParameter {
    let key = DeviceKey<FaultEntry>(
      "for", \.settings.duration, .delay, usual: usual?.written ?? "", "how long it lasts"
    )
    return FaultParameter(key) { $0.duration = usual }
  }

  static let gap = FaultParameter(
    DeviceKey("gap", \.settings.gap, .delay, "from one device to the next")
  ) { $0.gap = .seconds(1) }

  static let adapter = FaultParameter(
    DeviceKey(
      "adapter",
      \.settings.adapter,
      .adapter,
      "which of the host's: `hci1`, its name or its address; the first without it"
    )
  )

  static let number = FaultParameter(
    DeviceKey(
      "number", \.settings.number, .integer(0...255), usual: "one more than its own",
      "the number that it comes back under"
    )
  )
}

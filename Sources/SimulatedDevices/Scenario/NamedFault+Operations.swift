// What faults of operations and of devices do.

import Bluetooth

/// What a scenario says of a fault, beside when it happens.
struct FaultSettings {
  /// `on`: the operations it happens to; nil: the fault's own.
  var kind: FaultKind?
  var characteristic: CharacteristicSelector?
  var error: ATTErrorCode?
  /// `by`: how much later.
  var delay: Duration?
  /// `limit`: how many links there may be.
  var limit: Int?
  var mtu: Int?
  var rssi: Int?
  /// How that moves.
  var movement: SignalMovement?
  /// `service`
  var service: BluetoothUUID?
  /// `for`
  var duration: Duration?
  /// `gap`: from one device to the next.
  var gap: Duration?
  /// `number`: that the adapter comes back under.
  var number: Int?
  /// `adapter`: which of the host's, counted from 0.
  var adapter = 0
}

extension NamedFault {
  /// The keys of a file that it takes, beside those that say when.
  var settings: [String] {
    switch self {
    case .connectAborted, .connectFlickers, .connectHangs, .scanDisturbsConnect, .disconnectHangs:
      []
    case .connectSlow: ["by"]
    case .connectionLimit: ["limit"]
    case .attError: ["on", "characteristic", "error"]
    case .notPermitted, .notPaired, .noAnswer, .linkLostDuring, .linkLostAfter:
      ["on", "characteristic"]
    case .slow, .lateAnswer: ["on", "characteristic", "by"]
    case .lostWrites: ["characteristic"]
    case .smallMTU: ["mtu"]
    case .weakSignal: ["rssi"]
    case .pairingRejected: []
    case .outOfRange: ["for"]
    case .dropInTurn: ["for", "gap"]
    case .serviceMissing, .servicesStale: ["service", "for"]
    case .servicesEarly: ["by", "for"]
    case .servicesEmpty, .servicesNever, .lostNotifications, .duplicateNotifications: ["for"]
    case .adapterOff, .adapterUnplugged, .otherScanning: ["adapter", "for"]
    case .daemonRestart, .daemonCrash: ["for"]
    case .adapterRenumbered: ["adapter", "number", "for"]
    case .unansweredCalls, .lostAnswers: ["on", "for"]
    case .busyDaemon: ["on", "by", "for"]
    case .wrongTransport, .otherConnecting, .notifyAcquired, .writeAcquired: ["for"]
    case .linkLost, .busClosed, .deviceRemoved, .linkLeftBehind: []
    }
  }

  /// The operations that it may be told to happen to.
  var kinds: [FaultKind] {
    switch self {
    case .linkLostDuring, .linkLostAfter, .noAnswer, .slow:
      [.connect, .discover, .read, .write, .subscribe, .disconnect, .any]
    case .unansweredCalls, .lostAnswers, .busyDaemon:
      [.connect, .read, .write, .subscribe, .disconnect, .any]
    default: [.read, .write, .subscribe, .any]
    }
  }

  /// The rules that it is, where it is a fault of operations.
  func rules(_ settings: FaultSettings) -> [(kind: FaultKind, action: FaultAction)] {
    let kind = settings.kind ?? .any
    switch self {
    case .connectAborted, .scanDisturbsConnect, .connectionLimit:
      return [(.connect, .refuseConnection)]
    case .connectFlickers: return [(.connect, .loseLinkBefore)]
    case .connectHangs: return [(.connect, .neverAnswer)]
    case .connectSlow: return [(.connect, .slow(settings.delay ?? .seconds(10)))]
    case .attError: return [(kind, .refuse(settings.error ?? .unlikelyError))]
    case .notPermitted:
      let reads = (FaultKind.read, FaultAction.refuse(.readNotPermitted))
      let writes = (FaultKind.write, FaultAction.refuse(.writeNotPermitted))
      let subscribes = (FaultKind.subscribe, FaultAction.refuse(.writeNotPermitted))
      return [reads, writes, subscribes].filter { kind == .any || $0.0 == kind }
    case .notPaired: return [(kind, .refuse(.insufficientAuthentication))]
    case .noAnswer: return [(settings.kind ?? .read, .neverAnswer)]
    case .slow: return [(kind, .slow(settings.delay ?? .seconds(3)))]
    case .lateAnswer: return [(kind, .answerLate(settings.delay ?? .milliseconds(500)))]
    case .lostWrites: return [(.write, .loseWrite), (.command, .loseWrite)]
    case .linkLostDuring: return [(kind, .loseLinkBefore)]
    case .linkLostAfter: return [(kind, .loseLinkAfter)]
    case .disconnectHangs: return [(.disconnect, .neverAnswer)]
    default: return []
    }
  }

  /// What has to be so around the device for it to happen.
  func condition(_ settings: FaultSettings) -> FaultCondition? {
    switch self {
    case .scanDisturbsConnect: .scanning
    case .connectionLimit: .links(settings.limit ?? 1)
    default: nil
    }
  }

  /// The device with it, where it is a property of the device.
  func changed(_ device: DeviceDefinition, _ settings: FaultSettings) -> DeviceDefinition {
    var device = device
    switch self {
    case .smallMTU: device.link.mtu = settings.mtu ?? 23
    case .weakSignal:
      for index in device.advertisements.indices {
        device.advertisements[index].rssi = settings.rssi ?? -95
        device.advertisements[index].movement = settings.movement
        device.advertisements[index].rssiSpread = 6
      }
    case .pairingRejected: device.pairing = PairingDefinition(.reject)
    default: break
    }
    return device
  }
}

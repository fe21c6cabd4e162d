// Faults of operations, and permanent faults of devices, one row each.

import Bluetooth

extension NamedFault {
  /// A fault without a name, such as `{ on: read, nth: 2, do: refuse 0x80 }`, which states the
  /// operation and the action.
  static let rule = NamedFault(
    "", symptom: "", "A fault of an operation.",
    [.operation, .action, .characteristic(usual: "all", "only operations on this one")],
    effect: .operations { [FaultRule(on: $0.kind, action: $0.action)] }
  )

  static let ofOperations: [NamedFault] = [
    // MARK: Connecting
    NamedFault(
      "connect-aborted",
      symptom: "connections fail with `le-connection-abort-by-local`: radio, Wi-Fi next door",
      "the attempt is aborted",
      effect: .operations { _ in [FaultRule(on: .connect, action: .refuseConnection)] }
    ),
    NamedFault(
      "connect-flickers", symptom: "the connection is up for an instant, and Connect fails",
      "the connection is made and lost at once",
      effect: .operations { _ in [FaultRule(on: .connect, action: .loseLinkBefore)] }
    ),
    NamedFault(
      "connect-hangs", symptom: "Connect hangs until something gives up",
      "no attempt gets a response; bluetoothd gives up after 40 s",
      effect: .operations { _ in [FaultRule(on: .connect, action: .neverAnswer)] }
    ),
    NamedFault(
      "connect-slow", symptom: "a connection that takes longer than the program waits",
      "it takes `by` longer", [.by(.seconds(10))],
      effect: .operations { [FaultRule(on: .connect, action: .slow($0.delay))] }
    ),
    NamedFault(
      "scan-disturbs-connect", symptom: "connecting during a scan fails",
      "attempts are aborted while the adapter scans",
      effect: .operations { _ in
        [FaultRule(on: .connect, condition: .scanning, action: .refuseConnection)]
      }
    ),
    NamedFault(
      "connection-limit", symptom: "several connections at once fail",
      "attempts are aborted while `limit` devices are connected", [.limit],
      effect: .operations {
        [FaultRule(on: .connect, condition: .links($0.limit), action: .refuseConnection)]
      }
    ),
    // MARK: Attributes
    NamedFault(
      "att-error", symptom: "errors of the device in a row",
      "operations are refused with `error`; Unlikely Error without it",
      [.on(FaultKind.attributes), .characteristic, .error],
      effect: .operations { [FaultRule(on: $0.kind, action: .refuse($0.error))] }
    ),
    NamedFault(
      "not-permitted", symptom: "NotPermitted has several causes: this one is a missing permission",
      "reads and writes are refused as not permitted",
      [.on(FaultKind.attributes), .characteristic],
      effect: .operations { settings in
        let refusals: [(kind: FaultKind, code: ATTErrorCode)] = [
          (.read, .readNotPermitted), (.write, .writeNotPermitted),
          (.subscribe, .writeNotPermitted),
        ]
        return refusals.filter { settings.kind == .any || $0.kind == settings.kind }
          .map { FaultRule(on: $0.kind, action: .refuse($0.code)) }
      }
    ),
    NamedFault(
      "not-paired", symptom: "NotPermitted has several causes: this one requires pairing",
      "operations are refused with Insufficient Authentication, and the host pairs",
      [.on(FaultKind.attributes), .characteristic],
      effect: .operations { [FaultRule(on: $0.kind, action: .refuse(.insufficientAuthentication))] }
    ),
    NamedFault(
      "no-answer", symptom: "a request hangs, then the connection is dropped",
      "reads, or operations of `on`, get no response; the connection drops after `answer-timeout`",
      [.on(FaultKind.answered, usual: .read), .characteristic],
      effect: .operations { [FaultRule(on: $0.kind, action: .neverAnswer)] }
    ),
    NamedFault(
      "slow", symptom: "the queue of requests stalls", "operations take `by` longer",
      [.on(FaultKind.answered), .characteristic, .by(.seconds(3))],
      effect: .operations { [FaultRule(on: $0.kind, action: .slow($0.delay))] }
    ),
    NamedFault(
      "late-answer",
      symptom: "the notification arrives before the response to the write that caused it",
      "operations take effect, the response arrives `by` later",
      [.on(FaultKind.attributes), .characteristic, .by(.milliseconds(500))],
      effect: .operations { [FaultRule(on: $0.kind, action: .answerLate($0.delay))] }
    ),
    NamedFault(
      "lost-writes", symptom: "Write Commands have no flow control and are lost",
      "writes have no effect, with response or without", [.characteristic],
      effect: .operations { _ in
        [FaultRule(on: .write, action: .loseWrite), FaultRule(on: .command, action: .loseWrite)]
      }
    ),
    NamedFault(
      "link-lost-during", symptom: "the connection is lost during a certain operation",
      "it is lost before the operation takes effect", [.on(FaultKind.answered), .characteristic],
      effect: .operations { [FaultRule(on: $0.kind, action: .loseLinkBefore)] }
    ),
    NamedFault(
      "link-lost-after", symptom: "the operation took effect, and the client does not know",
      "the connection is lost after the effect, before the response",
      [.on(FaultKind.answered), .characteristic],
      effect: .operations { [FaultRule(on: $0.kind, action: .loseLinkAfter)] }
    ),
    NamedFault(
      "disconnect-hangs", symptom: "Disconnect does not return, the connection looks alive",
      "the connection ends only after `answer-timeout`",
      effect: .operations { _ in [FaultRule(on: .disconnect, action: .neverAnswer)] }
    ),
    // MARK: Permanent faults
    NamedFault(
      "small-mtu", symptom: "the MTU is 23, whatever is requested",
      "the device agrees to an MTU of `mtu` bytes", [.mtu],
      effect: .definition { device, settings in device.link.mtu = settings.mtu }
    ),
    NamedFault(
      "weak-signal", symptom: "a device at the edge of its range",
      "its RSSI is `rssi` (dBm, or a `path` or `walk`), varying by 6 dB to either side, with the consequences of a "
        + "[weak signal](#strength)",
      [.rssi(-95)],
      effect: .definition { device, settings in
        for index in device.advertisements.indices {
          device.advertisements[index].signal = settings.signal
          device.advertisements[index].rssiSpread = 6
        }
      }
    ),
    NamedFault(
      "rare-advertisements",
      symptom: "a device that saves its battery is found late, or not within the scan",
      "it sends an advertisement every `interval`", [.interval(.milliseconds(10_240))],
      effect: .definition { device, settings in
        for index in device.advertisements.indices {
          device.advertisements[index].interval = settings.interval
        }
      }
    ),
    NamedFault(
      "pairing-rejected", symptom: "pairing fails", "the device refuses to pair",
      effect: .definition { device, _ in device.pairing = PairingDefinition(.reject) }
    ),
  ]
}

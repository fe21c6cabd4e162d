// Faults of the host and of other programs, one row each.

import Bluetooth

extension NamedFault {
  /// `adapter-off`: the adapter is off, or blocked.
  public static let adapterOff = NamedFault(
    "adapter-off", symptom: "the adapter is off, or blocked", "it is switched off",
    [.adapter, .lasting(.seconds(5))],
    effect: .host { settings in
      TimedAction.lasting(
        settings.duration,
        .adapter(settings.adapter, .power(false)),
        .adapter(settings.adapter, .power(true))
      )
    }
  )
  /// `adapter-renumbered`: after a reset, hci0 is hci1.
  public static let adapterRenumbered = NamedFault(
    "adapter-renumbered", symptom: "after a reset, hci0 is hci1",
    "it is unplugged, and comes back as `number`, or the next free number",
    [.adapter, .number, .lasting(.seconds(1))],
    effect: .host { settings in
      TimedAction.lasting(
        settings.duration,
        .adapter(settings.adapter, .unplug),
        .adapter(settings.adapter, .plugIn(settings.number ?? settings.adapter + 1))
      )
    }
  )
  /// `daemon-restart`: bluetoothd is restarted, and clients still use objects and calls of the old one.
  public static let daemonRestart = NamedFault(
    "daemon-restart",
    symptom: "bluetoothd is restarted, and clients still use objects and calls of the old one",
    "it terminates normally, and a new one starts `for` later", [.lasting(.seconds(1))],
    effect: .host { settings in
      TimedAction.lasting(settings.duration, .endDaemon(isKilled: false), .startDaemon)
    }
  )
  /// `daemon-crash`: bluetoothd dies; open calls get no reply.
  public static let daemonCrash = NamedFault(
    "daemon-crash", symptom: "bluetoothd dies; open calls get no reply",
    "its connection ends, and a new one starts `for` later", [.lasting(.seconds(1))],
    effect: .host { settings in
      TimedAction.lasting(settings.duration, .endDaemon(isKilled: true), .startDaemon)
    }
  )

  /// The requests that bluetoothd sends to devices.
  private static let requests: [FaultKind] = [
    .connect, .read, .write, .subscribe, .disconnect, .any,
  ]

  static let ofHost: [NamedFault] = [
    adapterOff,
    NamedFault(
      "adapter-unplugged", symptom: "the adapter is gone",
      "it is unplugged, and comes back with its number", [.adapter, .lasting(.seconds(5))],
      effect: .host { settings in
        TimedAction.lasting(
          settings.duration,
          .adapter(settings.adapter, .unplug),
          .adapter(settings.adapter, .plugIn(nil))
        )
      }
    ),
    adapterRenumbered,
    daemonRestart,
    daemonCrash,
    NamedFault(
      "unanswered-calls", symptom: "calls that never get a reply: a wait without a bound",
      "calls to bluetoothd, all or those of `on`, have no effect and get no reply",
      [.on(requests), .lasting()], effect: .host(lasts: true) { $0.treated(.ignore) }
    ),
    NamedFault(
      "lost-answers", symptom: "a call takes effect, and its reply is lost",
      "they take effect, and get no reply", [.on(requests), .lasting()],
      effect: .host(lasts: true) { $0.treated(.loseAnswer) }
    ),
    NamedFault(
      "busy-daemon", symptom: "bluetoothd is busy", "they are handled `by` later",
      [.on(requests), .by(.seconds(1)), .lasting()],
      effect: .host(lasts: true) { $0.treated(.delay($0.delay)) }
    ),
    NamedFault(
      "wrong-transport", symptom: "a dual-mode device: `br-connection-profile-unavailable`",
      "Connect fails with that error", [.lasting()],
      effect: .host(lasts: true) { settings in
        var settings = settings
        settings.kind = .connect
        return settings.treated(.wrongTransport)
      }
    ),
    NamedFault(
      "bus-closed", symptom: "the bus ends under pending calls",
      "it ends for good, with all its connections", effect: .host { _ in [TimedAction(.closeBus)] }
    ),
  ]

  static let ofOtherPrograms: [NamedFault] = [
    NamedFault(
      "device-removed", symptom: "the device's object is removed while it is used",
      "another program removes it",
      effect: .devices { _, devices in TimedAction.others(nil, devices.map { .remove($0) }) }
    ),
    NamedFault(
      "other-connecting",
      symptom: "InProgress: another program's attempt is in progress, or was left behind",
      "another program's Connect hangs; after `for` that program cancels it and ends", [.lasting()],
      effect: .devices { settings, devices in
        TimedAction.others(settings.duration, devices.map { .connect($0) })
      }
    ),
    NamedFault(
      "link-left-behind", symptom: "a program was killed, and its connection is still up",
      "another program connects and dies; the device is connected and sends no advertisements",
      effect: .devices { _, devices in TimedAction.others(nil, devices.map { .leaveLink($0) }) }
    ),
    NamedFault(
      "other-scanning", symptom: "a desktop scans all the time", "another program scans",
      [.adapter, .lasting()],
      effect: .host(lasts: true) { settings in
        TimedAction.others(settings.duration, [.scan(adapter: settings.adapter)])
      }
    ),
    NamedFault(
      "notify-acquired", symptom: "AcquireNotify: another program has the notifications",
      "another program connects, and acquires those of `characteristic`; after `for` it ends",
      [.lasting(), .acquired("one that notifies")],
      effect: .devices { settings, devices in settings.acquired(.notify, devices) }
    ),
    NamedFault(
      "write-acquired", symptom: "AcquireWrite: another program has the writes",
      "another program connects, and acquires the writes to `characteristic`; after `for` it ends",
      [.lasting(), .acquired("one that is written without response")],
      effect: .devices { settings, devices in settings.acquired(.write, devices) }
    ),
  ]
}

extension FaultSettings {
  /// The treatment of the requests that `on` selects.
  fileprivate func treated(_ treatment: CallTreatment) -> [TimedAction] {
    let requests = CallSelection.requests(kind)
    return TimedAction.lasting(duration, .calls(requests, treatment), .calls(requests, .take))
  }

  /// The acquisition of one side of the characteristic by another program.
  fileprivate func acquired(
    _ side: OtherProgramAction.AcquiredSide, _ devices: [BluetoothAddress]
  ) -> [TimedAction] {
    guard let characteristic else { return [] }
    return TimedAction.others(duration, devices.map { .acquire(characteristic, side, $0) })
  }
}

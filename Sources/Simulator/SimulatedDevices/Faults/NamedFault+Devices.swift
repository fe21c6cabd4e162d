// Faults of devices, links and services, one row each.

extension NamedFault {
  /// `link-lost`: the connection is lost; subscriptions are gone.
  public static let linkLost = NamedFault(
    "link-lost", symptom: "the connection is lost; subscriptions are gone",
    "it is lost, and can be made again",
    effect: .devices { _, devices in devices.map { TimedAction(.device($0, .loseLink)) } }
  )
  /// `out-of-range`: the device is gone, and comes back.
  public static let outOfRange = NamedFault(
    "out-of-range", symptom: "the device is gone, and comes back",
    "it is gone; attempts to connect succeed when it is back", [.lasting(.seconds(5))],
    effect: .devices { settings, devices in
      TimedAction.lasting(settings.duration, devices, .vanish, .appear)
    }
  )
  /// `service-missing`: the services have changed, and the device sends Service Changed.
  public static let serviceMissing = NamedFault(
    "service-missing", symptom: "the services have changed, and the device sends Service Changed",
    "`service` is not offered", [.service, .lasting()],
    effect: .devices(lasts: true) { settings, devices in
      guard let service = settings.service else { return [] }
      return TimedAction.lasting(
        settings.duration,
        devices,
        .offer(service, false),
        .offer(service, true)
      )
    }
  )

  static let ofDevices: [NamedFault] = [
    linkLost,
    outOfRange,
    NamedFault(
      "drop-in-turn", symptom: "devices drop one after the other",
      "each in order, `gap` after the one before, loses its connection, or disappears for `for`",
      [.lasting(), .gap],
      effect: .devices { settings, devices in
        devices.enumerated().flatMap { index, device -> [TimedAction] in
          let begin = settings.gap * index
          guard let duration = settings.duration else {
            return [TimedAction(after: begin, .device(device, .loseLink))]
          }
          return [
            TimedAction(after: begin, .device(device, .vanish)),
            TimedAction(after: begin + duration, .device(device, .appear)),
          ]
        }
      }
    ),
    NamedFault(
      "bond-lost",
      symptom: "the device was reset, or paired with another host, and lost its bond with this one",
      "connections drop before the services are read, until the host removes the device and pairs "
        + "again",
      effect: .devices { _, devices in devices.map { TimedAction(.device($0, .loseBonds)) } }
    ),
    NamedFault(
      "security-requested",
      symptom: "the device asks to pair by itself, and no agent answers",
      "it sends a [Security Request](#a-device-that-asks-to-pair), if the connection is not encrypted",
      effect: .devices { _, devices in devices.map { TimedAction(.device($0, .requestSecurity)) } }
    ),
    serviceMissing,
    NamedFault(
      "services-stale",
      symptom:
        "a stale GATT cache: the firmware was replaced, and bluetoothd uses the services that it read before",
      "requests to `service` are refused with Invalid Handle while its objects stay; "
        + "after the device is removed and found again, the service is missing",
      [.service, .lasting()],
      effect: .devices { settings, devices in
        guard let service = settings.service else { return [] }
        return TimedAction.lasting(
          settings.duration,
          devices,
          .replace(service, true),
          .replace(service, false)
        )
      }
    ),
    NamedFault(
      "services-early", symptom: "ServicesResolved is set before the services are there",
      "it is set `by` earlier", [.by(.milliseconds(300)), .lasting()],
      effect: .devices(lasts: true) { settings, devices in
        let early = DeviceChange.services(.early(settings.delay))
        return TimedAction.lasting(settings.duration, devices, early, .services(.inOrder))
      }
    ),
    NamedFault(
      "services-empty", symptom: "ServicesResolved is set, and there are no services",
      "there are none, on connections that are made meanwhile", [.lasting()],
      effect: .devices(lasts: true) { settings, devices in
        TimedAction.lasting(settings.duration, devices, .services(.empty), .services(.inOrder))
      }
    ),
    NamedFault(
      "services-never", symptom: "ServicesResolved is never set",
      "it is not set, on connections that are made meanwhile", [.lasting()],
      effect: .devices(lasts: true) { settings, devices in
        TimedAction.lasting(settings.duration, devices, .services(.never), .services(.inOrder))
      }
    ),
    NamedFault(
      "lost-notifications", symptom: "the first notification, or all, are lost",
      "what the device sends is not received", [.lasting()],
      effect: .devices(lasts: true) { settings, devices in
        TimedAction.lasting(
          settings.duration,
          devices,
          .notifications(.lost),
          .notifications(.none)
        )
      }
    ),
    NamedFault(
      "duplicate-notifications", symptom: "notifications arrive twice",
      "what the device sends is received twice", [.lasting()],
      effect: .devices(lasts: true) { settings, devices in
        TimedAction.lasting(
          settings.duration,
          devices,
          .notifications(.doubled),
          .notifications(.none)
        )
      }
    ),
  ]
}

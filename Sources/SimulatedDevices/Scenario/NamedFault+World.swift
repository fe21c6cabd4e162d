// What faults of the world do, stroke by stroke.

import Bluetooth

extension NamedFault {
  /// The strokes of a fault of the world, for these devices; without a duration it lasts, unless it
  /// has one of its own.
  func strokes(_ settings: FaultSettings, devices: [BluetoothAddress]) -> [Stroke] {
    switch self {
    case .linkLost: return devices.map { Stroke(.loseLink($0)) }
    case .outOfRange:
      return pair(settings.duration ?? .seconds(5), devices, { .vanish($0) }, { .appear($0) })
    case .dropInTurn: return inTurn(settings, devices)
    case .serviceMissing:
      guard let service = settings.service else { return [] }
      return pair(
        settings.duration,
        devices,
        { .offer(service, false, $0) },
        { .offer(service, true, $0) }
      )
    case .servicesStale:
      guard let service = settings.service else { return [] }
      return pair(
        settings.duration,
        devices,
        { .replace(service, true, $0) },
        { .replace(service, false, $0) }
      )
    case .servicesEarly, .servicesEmpty, .servicesNever:
      let services: WorldAction.Services =
        switch self {
        case .servicesEarly: .early(settings.delay ?? .milliseconds(300))
        case .servicesEmpty: .empty
        default: .never
        }
      return pair(
        settings.duration,
        devices,
        { .services(services, $0) },
        { .services(.inOrder, $0) }
      )
    case .lostNotifications, .duplicateNotifications:
      let fault = self == .lostNotifications ? NotificationFault.lost : .doubled
      return pair(
        settings.duration,
        devices,
        { .notifications(fault, $0) },
        { .notifications(.none, $0) }
      )
    case .deviceRemoved: return devices.map { Stroke(.otherRemoves($0)) }
    case .linkLeftBehind: return devices.map { Stroke(.otherLeavesLink($0)) }
    case .otherConnecting: return others(settings, devices.map { .otherConnects($0) })
    case .notifyAcquired:
      guard let characteristic = settings.characteristic else { return [] }
      return others(settings, devices.map { .otherAcquires(characteristic, .notify, $0) })
    case .writeAcquired:
      guard let characteristic = settings.characteristic else { return [] }
      return others(settings, devices.map { .otherAcquires(characteristic, .write, $0) })
    case .otherScanning:
      return others(settings, [.otherScans(adapter: settings.adapter)])
    default: return hostStrokes(settings)
    }
  }

  private func hostStrokes(_ settings: FaultSettings) -> [Stroke] {
    let kind = settings.kind ?? .any
    switch self {
    case .adapterOff:
      return pair(
        settings.duration ?? .seconds(5),
        .power(false, adapter: settings.adapter),
        .power(true, adapter: settings.adapter)
      )
    case .adapterUnplugged: return unplugged(settings, .seconds(5), as: nil)
    case .adapterRenumbered:
      return unplugged(settings, .seconds(1), as: settings.number ?? settings.adapter + 1)
    case .daemonRestart, .daemonCrash:
      let end = WorldAction.endDaemon(isKilled: self == .daemonCrash)
      return pair(settings.duration ?? .seconds(1), end, .startDaemon)
    case .unansweredCalls: return treated(settings, kind, .ignored)
    case .lostAnswers: return treated(settings, kind, .withoutAnswer)
    case .busyDaemon: return treated(settings, kind, .delayed(settings.delay ?? .seconds(1)))
    case .wrongTransport: return treated(settings, .connect, .wrongTransport)
    case .busClosed: return [Stroke(.closeBus)]
    default: return []
    }
  }

  private func unplugged(
    _ settings: FaultSettings,
    _ duration: Duration,
    as number: Int?
  ) -> [Stroke] {
    pair(
      settings.duration ?? duration,
      .unplug(adapter: settings.adapter),
      .plugIn(number, adapter: settings.adapter)
    )
  }

  private func treated(
    _ settings: FaultSettings,
    _ kind: FaultKind,
    _ treatment: WorldAction.Treatment
  ) -> [Stroke] {
    pair(settings.duration, .requests(kind, treatment), .requests(kind, nil))
  }

  private func others(_ settings: FaultSettings, _ actions: [WorldAction]) -> [Stroke] {
    let begin = actions.map { Stroke($0) }
    return begin + (settings.duration.map { [Stroke(after: $0, .othersLeave)] } ?? [])
  }

  /// One device after the other; each is gone for a while, or only loses its link.
  private func inTurn(_ settings: FaultSettings, _ devices: [BluetoothAddress]) -> [Stroke] {
    let gap = settings.gap ?? .seconds(1)
    return devices.enumerated().flatMap { index, device -> [Stroke] in
      let begin = gap * index
      guard let duration = settings.duration else {
        return [Stroke(after: begin, .loseLink(device))]
      }
      return [
        Stroke(after: begin, .vanish(device)), Stroke(after: begin + duration, .appear(device)),
      ]
    }
  }

  private func pair(
    _ duration: Duration?,
    _ devices: [BluetoothAddress],
    _ begin: (BluetoothAddress) -> WorldAction,
    _ end: (BluetoothAddress) -> WorldAction
  ) -> [Stroke] {
    let ends = duration.map { duration in devices.map { Stroke(after: duration, end($0)) } }
    return devices.map { Stroke(begin($0)) } + (ends ?? [])
  }

  private func pair(_ duration: Duration?, _ begin: WorldAction, _ end: WorldAction) -> [Stroke] {
    [Stroke(begin)] + (duration.map { [Stroke(after: $0, end)] } ?? [])
  }
}

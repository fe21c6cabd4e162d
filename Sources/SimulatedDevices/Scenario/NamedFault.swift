// The faults that scenarios may name: the pains of Bluetooth LE on Linux, one by one.
//
// What each does is in NamedFault+Operations and NamedFault+World; the list for readers is in
// Simulators/README.md.

/// A fault of a scenario.
public enum NamedFault: String, CaseIterable, Sendable, Hashable {
  // What operations meet.
  case connectAborted = "connect-aborted"
  case connectFlickers = "connect-flickers"
  case connectHangs = "connect-hangs"
  case connectSlow = "connect-slow"
  case scanDisturbsConnect = "scan-disturbs-connect"
  case connectionLimit = "connection-limit"
  case attError = "att-error"
  case notPermitted = "not-permitted"
  case notPaired = "not-paired"
  case noAnswer = "no-answer"
  case slow
  case lateAnswer = "late-answer"
  case lostWrites = "lost-writes"
  case linkLostDuring = "link-lost-during"
  case linkLostAfter = "link-lost-after"
  case disconnectHangs = "disconnect-hangs"

  // What devices are.
  case smallMTU = "small-mtu"
  case weakSignal = "weak-signal"
  case pairingRejected = "pairing-rejected"

  // What befalls links and devices.
  case linkLost = "link-lost"
  case outOfRange = "out-of-range"
  case dropInTurn = "drop-in-turn"
  case serviceMissing = "service-missing"
  case servicesStale = "services-stale"
  case servicesEarly = "services-early"
  case servicesEmpty = "services-empty"
  case servicesNever = "services-never"
  case lostNotifications = "lost-notifications"
  case duplicateNotifications = "duplicate-notifications"

  // What befalls the host.
  case adapterOff = "adapter-off"
  case adapterUnplugged = "adapter-unplugged"
  case adapterRenumbered = "adapter-renumbered"
  case daemonRestart = "daemon-restart"
  case daemonCrash = "daemon-crash"
  case unansweredCalls = "unanswered-calls"
  case lostAnswers = "lost-answers"
  case busyDaemon = "busy-daemon"
  case wrongTransport = "wrong-transport"
  case busClosed = "bus-closed"

  // What other programs do.
  case deviceRemoved = "device-removed"
  case otherConnecting = "other-connecting"
  case linkLeftBehind = "link-left-behind"
  case otherScanning = "other-scanning"
  case notifyAcquired = "notify-acquired"
  case writeAcquired = "write-acquired"

  /// How the fault comes about.
  enum Nature {
    /// It happens to operations, whose rules it becomes.
    case operation
    /// It is a property of the device from the start.
    case property
    /// It happens to the world at some moment.
    case world
    /// It happens to the world, from the start unless something else is said.
    case lasting
  }

  var nature: Nature {
    switch self {
    case .connectAborted, .connectFlickers, .connectHangs, .connectSlow, .scanDisturbsConnect,
      .connectionLimit, .attError, .notPermitted, .notPaired, .noAnswer, .slow, .lateAnswer,
      .lostWrites, .linkLostDuring, .linkLostAfter, .disconnectHangs:
      .operation
    case .smallMTU, .weakSignal, .pairingRejected: .property
    case .linkLost, .outOfRange, .dropInTurn, .adapterOff, .adapterUnplugged, .adapterRenumbered,
      .daemonRestart, .daemonCrash, .busClosed, .deviceRemoved, .otherConnecting, .linkLeftBehind,
      .notifyAcquired, .writeAcquired, .servicesStale:
      .world
    case .serviceMissing, .servicesEarly, .servicesEmpty, .servicesNever, .lostNotifications,
      .duplicateNotifications, .unansweredCalls, .lostAnswers, .busyDaemon, .wrongTransport,
      .otherScanning:
      .lasting
    }
  }

  /// Whether it happens to devices, rather than to the host.
  var isAboutDevices: Bool {
    switch self {
    case .adapterOff, .adapterUnplugged, .adapterRenumbered, .daemonRestart, .daemonCrash,
      .unansweredCalls, .lostAnswers, .busyDaemon, .wrongTransport, .busClosed, .otherScanning:
      false
    default: true
    }
  }
}

// The faults that have names: the known problems of Bluetooth LE on Linux, one by one.
//
// Each is one row: its name, its symptom, what it does, its parameters, its effect. The rows are in
// NamedFault+Operations, NamedFault+Devices and NamedFault+Host; files, the schema, the tables of
// Simulators/README.md, steering and drawn worlds use them.

public import Bluetooth
import Documents

/// A fault with a name.
public struct NamedFault: Sendable {
  /// As files write it.
  public let name: String
  /// The problem as users of Bluetooth LE see it.
  let symptom: String
  /// What it does, in one line.
  let doc: String
  let parameters: [FaultParameter]
  let effect: Effect

  /// What a fault does, and how that comes about.
  enum Effect: Sendable {
    /// It affects operations of devices, as rules. The file sets when they apply.
    case operations(@Sendable (FaultSettings) -> [FaultRule])
    /// It is a property of devices from the start.
    case definition(@Sendable (inout DeviceDefinition, FaultSettings) -> Void)
    /// It happens to devices, at a moment.
    case devices(
      lasts: Bool = false, @Sendable (FaultSettings, [BluetoothAddress]) -> [TimedAction]
    )
    /// It happens to the host, at a moment.
    case host(lasts: Bool = false, @Sendable (FaultSettings) -> [TimedAction])
  }

  init(
    _ name: String, symptom: String, _ doc: String, _ parameters: [FaultParameter] = [],
    effect: Effect
  ) {
    self.name = name
    self.symptom = symptom
    self.doc = doc
    self.parameters = parameters
    self.effect = effect
  }

  /// Every fault, in the order of the documentation.
  public static let all: [NamedFault] = ofOperations + ofDevices + ofHost + ofOtherPrograms

  /// Whether it happens to devices, rather than to the host.
  var isAboutDevices: Bool {
    switch effect {
    case .operations, .definition, .devices: true
    case .host: false
    }
  }

  /// Whether it lasts from the start when it has no trigger.
  var lasts: Bool {
    switch effect {
    case .devices(let lasts, _), .host(let lasts, _): lasts
    case .operations, .definition: false
    }
  }

  /// The defaults of its parameters.
  var settings: FaultSettings {
    parameters.reduce(into: FaultSettings()) { settings, parameter in parameter.prepare(&settings) }
  }

  /// What it does to the world at a moment; empty for one that is in the definitions of devices.
  ///
  /// ```swift
  /// let restart = NamedFault.daemonRestart.actions(for: .seconds(3))
  /// let fault = ScheduledFault(.at(.seconds(10)), restart)
  /// ```
  ///
  /// - Parameters:
  ///   - devices: Those that it happens to.
  ///   - adapter: Which of the host's adapters, counted from 0.
  ///   - number: That an adapter comes back under; nil: the fault's own.
  ///   - service: For the faults of a service.
  ///   - duration: How long it lasts; nil: as long as it does by itself.
  public func actions(
    on devices: [BluetoothAddress] = [], adapter: Int = 0, number: Int? = nil,
    service: BluetoothUUID? = nil, for duration: Duration? = nil
  ) -> [TimedAction] {
    var settings = settings
    settings.adapter = adapter
    settings.number = number
    settings.service = service
    settings.duration = duration ?? settings.duration
    return actions(settings, devices)
  }

  func actions(_ settings: FaultSettings, _ devices: [BluetoothAddress]) -> [TimedAction] {
    switch effect {
    case .operations, .definition: []
    case .devices(_, let make): make(settings, devices)
    case .host(_, let make): make(settings)
    }
  }
}

extension NamedFault: Hashable, CustomStringConvertible {
  public static func == (left: NamedFault, right: NamedFault) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  public var description: String { name }
}

// MARK: Actions and their ends

extension TimedAction {
  /// Something that begins at once, and ends where there is a duration.
  static func lasting(
    _ duration: Duration?, _ begin: WorldAction, _ end: WorldAction
  ) -> [TimedAction] {
    [TimedAction(begin)] + (duration.map { [TimedAction(after: $0, end)] } ?? [])
  }

  /// The same change of several devices, which ends where there is a duration.
  static func lasting(
    _ duration: Duration?, _ devices: [BluetoothAddress], _ begin: DeviceChange,
    _ end: DeviceChange
  ) -> [TimedAction] {
    let ends = duration.map { duration in
      devices.map { TimedAction(after: duration, .device($0, end)) }
    }
    return devices.map { TimedAction(.device($0, begin)) } + (ends ?? [])
  }

  /// Something that other programs do until they leave.
  static func others(_ duration: Duration?, _ actions: [OtherProgramAction]) -> [TimedAction] {
    let begin = actions.map { TimedAction(.otherProgram($0)) }
    return begin + (duration.map { [TimedAction(after: $0, .otherProgramsLeave)] } ?? [])
  }
}

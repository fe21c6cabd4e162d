// The named faults: the known problems of Bluetooth LE on Linux.
//
// Each is one row: name, symptom, description, parameters, effect. The rows are in
// NamedFault+Operations, NamedFault+Devices and NamedFault+Host. Device files, the schema, the
// tables of Simulators/README.md, steering and drawn worlds use them.

public import Bluetooth
import Documents

public struct NamedFault: Sendable {
  /// The name in device files.
  public let name: String
  /// The problem, as users of Bluetooth LE experience it.
  let symptom: String
  /// A one-line description of the effect.
  let doc: String
  let parameters: [FaultParameter]
  let effect: Effect

  /// The effect of a fault.
  enum Effect: Sendable {
    /// Affects operations of devices, as rules. The file sets when they apply.
    case operations(@Sendable (FaultSettings) -> [FaultRule])
    /// Changes the definition of devices from the start.
    case definition(@Sendable (inout DeviceDefinition, FaultSettings) -> Void)
    /// Acts on devices at some time.
    case devices(
      lasts: Bool = false, @Sendable (FaultSettings, [BluetoothAddress]) -> [TimedAction]
    )
    /// Acts on the host at some time.
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

  /// True if it affects devices, not the host.
  var isAboutDevices: Bool {
    switch effect {
    case .operations, .definition, .devices: true
    case .host: false
    }
  }

  /// True if it lasts from the start when it has no trigger.
  var lasts: Bool {
    switch effect {
    case .devices(let lasts, _), .host(let lasts, _): lasts
    case .operations, .definition: false
    }
  }

  /// The default parameters.
  var settings: FaultSettings {
    parameters.reduce(into: FaultSettings()) { settings, parameter in parameter.prepare(&settings) }
  }

  /// The actions of the fault; empty for one that changes the definition of devices.
  ///
  /// ```swift
  /// let restart = NamedFault.daemonRestart.actions(for: .seconds(3))
  /// let fault = ScheduledFault(.at(.seconds(10)), restart)
  /// ```
  ///
  /// - Parameters:
  /// - devices: The affected devices.
  ///   - adapter: The index of the adapter in the host, from 0.
  ///   - number: The new index of an adapter; nil: the fault's default.
  ///   - service: The service of a service fault.
  ///   - duration: The duration; nil: the fault's default.
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
  /// An action that begins at once, and is undone after the duration, if there is one.
  static func lasting(
    _ duration: Duration?, _ begin: WorldAction, _ end: WorldAction
  ) -> [TimedAction] {
    [TimedAction(begin)] + (duration.map { [TimedAction(after: $0, end)] } ?? [])
  }

  /// One change of several devices, undone after the duration, if there is one.
  static func lasting(
    _ duration: Duration?, _ devices: [BluetoothAddress], _ begin: DeviceChange,
    _ end: DeviceChange
  ) -> [TimedAction] {
    let ends = duration.map { duration in
      devices.map { TimedAction(after: duration, .device($0, end)) }
    }
    return devices.map { TimedAction(.device($0, begin)) } + (ends ?? [])
  }

  /// Actions of other programs, which leave after the duration, if there is one.
  static func others(_ duration: Duration?, _ actions: [OtherProgramAction]) -> [TimedAction] {
    let begin = actions.map { TimedAction(.otherProgram($0)) }
    return begin + (duration.map { [TimedAction(after: $0, .otherProgramsLeave)] } ?? [])
  }
}

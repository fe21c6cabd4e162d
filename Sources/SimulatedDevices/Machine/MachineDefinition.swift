// A dialogue of a device, as data: states, what leads from one to another, and what is done then.
//
// What a machine does at a moment is in MachineRun and DeviceState+Machines.

public import Bluetooth

/// A state machine that answers operations, lets time pass and changes values.
public struct MachineDefinition: Sendable, Hashable {
  /// A variable with the value it begins with.
  public struct Variable: Sendable, Hashable {
    /// The name, without its `$`.
    public var name: String
    /// The value at the start.
    public var initial: VariableValue

    /// A variable with its first value.
    public init(_ name: String, _ initial: VariableValue) {
      self.name = name
      self.initial = initial
    }
  }

  /// Rows of octets that values may be taken from.
  public struct Table: Sendable, Hashable {
    /// The name of the table.
    public var name: String
    /// The rows, counted from 0.
    public var rows: [[UInt8]]

    /// A table with its rows.
    public init(_ name: String, _ rows: [[UInt8]]) {
      self.name = name
      self.rows = rows
    }
  }

  /// The name, for errors and logs.
  public var name: String
  /// Names for values of the device.
  public var views: [View]
  /// Its variables.
  public var variables: [Variable]
  /// Its tables.
  public var tables: [Table]
  /// The first is the one it begins in.
  public var states: [MachineState]
  /// What is looked at in every state, after the state's own.
  public var always: [Transition]

  /// A machine; see the properties.
  public init(
    name: String,
    views: [View] = [],
    variables: [Variable] = [],
    tables: [Table] = [],
    states: [MachineState],
    always: [Transition] = []
  ) {
    self.name = name
    self.views = views
    self.variables = variables
    self.tables = tables
    self.states = states
    self.always = always
  }
}

/// One state of a machine.
public struct MachineState: Sendable, Hashable {
  /// The name of the state.
  public var name: String
  /// Done each time the state is entered, also at the start.
  public var entry: [MachineAction]
  /// The first that fits what happens decides.
  public var transitions: [Transition]

  /// A state; see the properties.
  public init(_ name: String, entry: [MachineAction] = [], transitions: [Transition] = []) {
    self.name = name
    self.entry = entry
    self.transitions = transitions
  }
}

/// What happens when something happens.
public struct Transition: Sendable, Hashable {
  /// What it waits for.
  public enum Trigger: Sendable, Hashable {
    /// A write of a value that matches.
    case write(CharacteristicSelector, ResponseRule.Pattern)
    /// Before the value is given.
    case read(CharacteristicSelector)
    /// Notifications or indications are enabled.
    case subscribe(CharacteristicSelector)
    /// They are disabled.
    case unsubscribe(CharacteristicSelector)
    /// The connection ends.
    case linkEnd
    /// Once, so long after the state was entered.
    case after(Duration)
    /// Again and again while the state lasts.
    case every(Duration)

    /// The time it waits for.
    var delay: Duration? {
      switch self {
      case .after(let delay), .every(let delay): delay
      case .write, .read, .subscribe, .unsubscribe, .linkEnd: nil
      }
    }
  }

  /// What it waits for.
  public var trigger: Trigger
  /// All of them have to hold.
  public var conditions: [Condition]
  /// What is done, in order.
  public var actions: [MachineAction]
  /// The error that a write or a read is refused with; then nothing else is done but the change of
  /// state.
  public var refusal: ATTErrorCode?
  /// The state it leads to, by its place; nil: the machine stays, and its timers go on.
  public var target: Int?

  /// A transition; see the properties.
  public init(
    _ trigger: Trigger,
    if conditions: [Condition] = [],
    do actions: [MachineAction] = [],
    refuse refusal: ATTErrorCode? = nil,
    to target: Int? = nil
  ) {
    self.trigger = trigger
    self.conditions = conditions
    self.actions = actions
    self.refusal = refusal
    self.target = target
  }
}

/// One thing that a machine does.
public enum MachineAction: Sendable, Hashable {
  /// As the answer to a write. Without a characteristic it is the written one's.
  case respond(ResponseAction)
  /// A number variable gets the result of a calculation.
  case number(String, Expression)
  /// A variable of octets gets a value.
  case octets(String, ValueTemplate)
  /// A number variable that is a CRC-32 is carried on over a value.
  case checksum(String, ValueTemplate)
  /// The device ends the link, so much later.
  case disconnect(after: Duration)
  /// The device is gone for so long, then all its machines begin anew.
  case restart(Duration)
}

// The definition of a state machine: states, transitions and actions.
//
// Data only: MachineRun and DeviceState run it.

import Bluetooth

/// A state machine that responds to operations, waits for times, and changes values.
struct MachineDefinition: Sendable, Hashable {
  /// A variable; its name has no `$`.
  struct Variable: Sendable, Hashable {
    let name: String
    /// The value at the start.
    let initial: VariableValue
  }

  /// Rows of bytes that values can be taken from.
  struct Table: Sendable, Hashable {
    let name: String
    /// The rows, counted from 0.
    let rows: [[UInt8]]
  }

  var name = ""
  /// Names for values of characteristics.
  var views: [View] = []
  var variables: [Variable] = []
  var tables: [Table] = []
  /// The states; it begins in the first one.
  var states: [MachineState] = []
  /// Transitions of every state, after the state's own.
  var always: [Transition] = []
}

struct MachineState: Sendable, Hashable {
  var name = ""
  /// Run on each entry into the state, also at the start.
  var entry: [MachineAction] = []
  /// The transitions; the first that matches an event applies.
  var transitions: [Transition] = []
}

/// The reaction to an event.
struct Transition: Sendable, Hashable {
  /// The event that it reacts to.
  enum Trigger: Sendable, Hashable {
    /// A write of a matching value.
    case write(CharacteristicSelector, ResponseRule.Pattern)
    /// A read, before the value is returned.
    case read(CharacteristicSelector)
    case subscribe(CharacteristicSelector)
    case unsubscribe(CharacteristicSelector)
    case linkEnd
    /// Once, at a time after the state was entered.
    case after(Duration)
    /// Repeatedly, while the state lasts.
    case every(Duration)

    /// The time of a timed trigger.
    var delay: Duration? {
      switch self {
      case .after(let delay), .every(let delay): delay
      case .write, .read, .subscribe, .unsubscribe, .linkEnd: nil
      }
    }
  }

  var trigger = Trigger.linkEnd
  /// Conditions, which must all be true.
  var conditions: [Expression] = []
  /// The actions, in order.
  var actions: [MachineAction] = []
  /// The error that refuses a write or a read. Then only the state changes, and no action runs.
  var refusal: ATTErrorCode?
  /// The index of the next state; nil: the state stays, and its timers continue.
  var target: Int?
}

enum MachineAction: Sendable, Hashable {
  /// Responds as to a write. Without a characteristic, to the written one.
  case respond(ResponseAction)
  /// Sets a number variable to the result of an expression.
  case number(String, Expression)
  /// Sets a bytes variable.
  case octets(String, ValueTemplate)
  /// Continues the CRC-32 in a number variable over a value.
  case checksum(String, ValueTemplate)
  /// Ends the link after a delay.
  case disconnect(after: Duration)
  /// Sends a Security Request after a delay.
  case requestSecurity(after: Duration)
  /// Makes the device unreachable for a while; then all its machines restart.
  case restart(Duration)
}

// A dialogue of a device, as data: states, what leads from one to another, and what is done then.
//
// What a machine does at a moment is in MachineRun and DeviceState+Machines.

import Bluetooth

/// A state machine that answers operations, lets time pass and changes values.
struct MachineDefinition: Sendable, Hashable {
  /// A variable, by its name without its `$`.
  struct Variable: Sendable, Hashable {
    let name: String
    /// The value at the start.
    let initial: VariableValue
  }

  /// Rows of octets that values may be taken from.
  struct Table: Sendable, Hashable {
    let name: String
    /// Counted from 0.
    let rows: [[UInt8]]
  }

  var name = ""
  /// Names for values of the device.
  var views: [View] = []
  var variables: [Variable] = []
  var tables: [Table] = []
  /// The first is the one it begins in.
  var states: [MachineState] = []
  /// What is looked at in every state, after the state's own.
  var always: [Transition] = []
}

struct MachineState: Sendable, Hashable {
  var name = ""
  /// Done each time the state is entered, also at the start.
  var entry: [MachineAction] = []
  /// The first that fits what happens decides.
  var transitions: [Transition] = []
}

/// What happens when something happens.
struct Transition: Sendable, Hashable {
  /// What it waits for.
  enum Trigger: Sendable, Hashable {
    /// A write of a value that matches.
    case write(CharacteristicSelector, ResponseRule.Pattern)
    /// Before the value is given.
    case read(CharacteristicSelector)
    case subscribe(CharacteristicSelector)
    case unsubscribe(CharacteristicSelector)
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

  var trigger = Trigger.linkEnd
  /// All of them have to hold.
  var conditions: [Condition] = []
  /// What is done, in order.
  var actions: [MachineAction] = []
  /// The error that a write or a read is refused with; then nothing else is done but the change of
  /// state.
  var refusal: ATTErrorCode?
  /// The state it leads to, by its place; nil: the machine stays, and its timers go on.
  var target: Int?
}

enum MachineAction: Sendable, Hashable {
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

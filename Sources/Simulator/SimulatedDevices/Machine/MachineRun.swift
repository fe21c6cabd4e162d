// A running state machine: events in, the matching transition out.
//
// Pure. DeviceState performs the actions.

import Bluetooth

/// An event at a device, for its machines.
enum MachineEvent: Equatable {
  case write([UInt8])
  case read
  case subscribe
  case unsubscribe
  case linkEnd
  /// A timer of one machine, which was started when it entered a state.
  case timer(MachineTimer)
}

struct MachineTimer: Equatable {
  let machine: Int
  /// Counts the entered states: timers of earlier ones are ignored.
  let entry: Int
  let transition: Int
}

/// A machine with its current state and variables.
struct MachineRun {
  let definition: MachineDefinition
  private(set) var state = 0
  private(set) var entry = 0
  var variables = Variables()

  init(_ definition: MachineDefinition) {
    self.definition = definition
    begin()
  }

  /// Resets the state and the variables.
  mutating func begin() {
    entry += 1
    state = 0
    variables = Variables()
    for variable in definition.variables { variables[variable.name] = variable.initial }
  }

  mutating func enter(_ next: Int) {
    entry += 1
    state = next
  }

  var current: MachineState? {
    definition.states.indices.contains(state) ? definition.states[state] : nil
  }

  /// The transitions of the state, then those of every state.
  var transitions: [Transition] { (current?.transitions ?? []) + definition.always }

  /// The timers of the current state, with the indices of their transitions.
  var timers: [(transition: Int, delay: Duration)] {
    transitions.enumerated().compactMap { index, transition in
      transition.trigger.delay.map { (index, $0) }
    }
  }

  /// The first transition that matches an event, with the variables that its pattern captures.
  ///
  /// - Parameters:
  ///   - scope: The variables for conditions, besides the captured ones.
  ///   - matches: Whether a selector matches the characteristic of the event.
  func transition(
    for event: MachineEvent, in scope: Scope, where matches: (CharacteristicSelector) -> Bool
  ) -> (transition: Transition, names: Variables)? {
    for (index, transition) in transitions.enumerated() {
      guard let names = names(transition.trigger, event, index, matches) else { continue }
      var inner = scope
      inner.variables = scope.variables.merging(names)
      if transition.conditions.allSatisfy({ $0.holds(in: inner) }) { return (transition, names) }
    }
    return nil
  }

  private func names(
    _ trigger: Transition.Trigger, _ event: MachineEvent, _ index: Int,
    _ matches: (CharacteristicSelector) -> Bool
  ) -> Variables? {
    switch trigger {
    case .write(let written, let pattern):
      guard case .write(let value) = event, matches(written), var names = pattern.match(value)
      else {
        return nil
      }
      names[ValueTemplate.writtenName] = .octets(value)
      return names
    case .read(let selector):
      guard case .read = event, matches(selector) else { return nil }
    case .subscribe(let selector):
      guard case .subscribe = event, matches(selector) else { return nil }
    case .unsubscribe(let selector):
      guard case .unsubscribe = event, matches(selector) else { return nil }
    case .linkEnd:
      guard case .linkEnd = event else { return nil }
    case .after, .every:
      guard case .timer(let timer) = event, timer.entry == entry, timer.transition == index else {
        return nil
      }
    }
    return Variables()
  }
}

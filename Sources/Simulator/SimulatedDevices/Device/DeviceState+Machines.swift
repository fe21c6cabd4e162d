// The state machines of a device: every event is passed to each of them, and their actions change
// the device.

import Bluetooth
import Signals

extension DeviceState {
  /// Enters the initial states, at the start and after a restart.
  mutating func beginMachines() -> [DeviceAction] {
    machines.indices.flatMap { index -> [DeviceAction] in
      machines[index].begin()
      return entered(index)
    }
  }

  /// Runs every machine on an event.
  ///
  /// - Parameter before: The value of the characteristic before it was written; a refusal restores it.
  /// - Returns: Whether any machine handled it, the error that it is refused with, and the actions
  ///   to perform. After a refusal the other machines do not receive the event.
  mutating func runMachines(
    _ event: MachineEvent, of characteristic: Int? = nil, before: [UInt8]? = nil
  ) -> (isHandled: Bool, refusal: ATTErrorCode?, actions: [DeviceAction]) {
    var isHandled = false
    var actions: [DeviceAction] = []
    for index in machines.indices {
      if case .timer(let timer) = event, timer.machine != index { continue }
      let found = machines[index].transition(for: event, in: scope(of: index)) { [table] selector in
        table.indices(of: selector).first == characteristic
      }
      guard let (transition, names) = found else { continue }
      isHandled = true
      if let refusal = transition.refusal {
        // Before the next state is entered: its actions may store a value there.
        if let characteristic, let before { characteristics[characteristic].stored = before }
        if let target = transition.target { actions += enter(target, of: index) }
        return (true, refusal, actions)
      }
      for action in transition.actions {
        actions += perform(action, of: index, names: names, on: characteristic)
      }
      if let target = transition.target {
        actions += enter(target, of: index)
      } else if case .timer(let timer) = event, case .every(let period) = transition.trigger {
        actions.append(after(period, .timer(timer)))
      }
    }
    return (isHandled, nil, actions)
  }

  /// Runs every machine on a write. The value is stored unless it is refused. Nil: no machine
  /// handled it.
  mutating func runMachines(
    onWrite value: [UInt8], to index: Int
  ) -> (answer: Answer, actions: [DeviceAction])? {
    guard !machines.isEmpty else { return nil }
    let definition = characteristics[index].definition
    let before = characteristics[index].stored
    // The actions may change it again.
    if !definition.behaviour.isMoving { characteristics[index].stored = value }
    let outcome = runMachines(.write(value), of: index, before: before)
    if let refusal = outcome.refusal { return (.failure(refusal), outcome.actions) }
    if outcome.isHandled { return (.success(()), outcome.actions) }
    characteristics[index].stored = before
    return nil
  }

  /// Fires a timer of a machine. A repeating timer continues whether or not its conditions hold.
  mutating func fired(_ timer: MachineTimer) -> [DeviceAction] {
    let entry = machines[timer.machine].entry
    let (isHandled, _, actions) = runMachines(.timer(timer))
    guard !isHandled, entry == timer.entry else { return actions }
    let transitions = machines[timer.machine].transitions
    guard transitions.indices.contains(timer.transition),
      case .every(let period) = transitions[timer.transition].trigger
    else { return actions }
    return actions + [after(period, .timer(timer))]
  }

  private mutating func enter(_ state: Int, of index: Int) -> [DeviceAction] {
    machines[index].enter(state)
    return entered(index)
  }

  private mutating func entered(_ index: Int) -> [DeviceAction] {
    var actions: [DeviceAction] = [.cancel { $0.isTimer(of: index) }]
    for action in machines[index].current?.entry ?? [] {
      actions += perform(action, of: index, names: Variables(), on: nil)
    }
    let entry = machines[index].entry
    return actions
      + machines[index].timers.map { transition, delay in
        after(delay, .timer(MachineTimer(machine: index, entry: entry, transition: transition)))
      }
  }

  /// The variables and tables of a machine's values and conditions.
  private func scope(of index: Int, names: Variables = Variables()) -> Scope {
    let machine = machines[index]
    var all = variables(machine.definition.views, elapsed: now - start)
    all["mtu"] = .number(Int64(mtu))
    return Scope(
      variables: all.merging(machine.variables).merging(names), tables: machine.definition.tables
    )
  }

  private mutating func perform(
    _ action: MachineAction, of index: Int, names: Variables, on characteristic: Int?
  ) -> [DeviceAction] {
    let scope = scope(of: index, names: names)
    switch action {
    case .respond(let response):
      guard response.characteristic != nil || characteristic != nil else { return [] }
      return perform([response], of: characteristic ?? 0, in: scope)
    case .number(let name, let expression):
      machines[index].variables[name] = .number(expression.value(in: scope))
    case .octets(let name, let value):
      machines[index].variables[name] = .octets(value.octets(in: scope))
    case .checksum(let name, let value):
      let before = UInt64(UInt32(truncatingIfNeeded: scope.variables.number(name)))
      let crc = CyclicChecksum.crc32
      let register = value.octets(in: scope).reduce(crc.register(of: before), crc.continued)
      machines[index].variables[name] = .number(Int64(crc.finished(register)))
    case .disconnect(let delay): return [after(delay, .leave(absence: nil))]
    case .requestSecurity(let delay): return [after(delay, .requestSecurity)]
    case .restart(let absence): return [after(.zero, .leave(absence: absence))]
    }
    return []
  }
}

// Asks a device's logic, and performs its answers.
//
// Everything here runs on the loop, which waits for the logic.

import Bluetooth
public import Documents
import Signals

/// The logic of a device, with its progress.
struct LogicState {
  /// The maximum number of timers of a logic.
  static let wakeLimit = 1_000

  var logic: DeviceLogic?
  var place: Place?
  var events = LogicEvents.all
  var hasFailed = false
  /// The number of events so far.
  var count = 0
  /// The names of the pending timers.
  var wakes: Set<String> = []
  var report: @Sendable (LogicError) -> Void = { _ in }
}

/// The decision of the logic about a client's request.
enum LogicRuling: Equatable {
  /// The device decides as without logic.
  case usual
  case value([UInt8])
  case refused(ATTErrorCode)
}

extension SimulatedDevice {
  /// Attaches logic to the device, and asks it `start`; nil: detaches it.
  ///
  /// The previous logic is closed, and its timers are cancelled.
  ///
  /// - Parameters:
  ///   - logic: The logic to ask.
  ///   - events: The events to ask about; nil: those in its answer to `start`.
  ///   - place: The place of the logic in a file, for errors.
  /// - Throws: ``LogicError`` for an invalid answer to `start`; the device then has no logic.
  public func setLogic(
    _ logic: DeviceLogic?, handling events: LogicEvents? = nil, at place: Place? = nil
  ) throws(LogicError) {
    let result = loop.performAndWait { [self] in
      Result { () throws(LogicError) in try replaceLogic(by: logic, handling: events, at: place) }
    }
    try result.get()
  }

  private func replaceLogic(
    by logic: DeviceLogic?, handling events: LogicEvents?, at place: Place?
  ) throws(LogicError) {
    let state = self.logic
    endLogic()
    state.contents = LogicState(count: state.count, report: state.report)
    stopWakes()
    guard let logic else { return }
    state.logic = logic
    state.place = place
    var random = generator.split("logic")
    let event = event(.start(seed: Int(random.next() >> 11)))
    do throws(LogicError.Reason) {
      let answer = try logic.ask(event)
      try consequences(of: answer, to: event)()
      let wanted = try wanted(by: answer)
      state.events = events ?? wanted
    } catch {
      endLogic()
      throw LogicError(device: title, event: event.title, error, at: place)
    }
  }

  /// Closes the logic at the end of the simulation.
  public func endLogic() { loop.performAndWait { [logic] in logic.logic.take()?.close() } }

  /// True if the device has logic that answers.
  public var hasLogic: Bool { loop.performAndWait { [logic] in logic.logic != nil } }

  /// Replaces the events that the logic is asked about.
  public func handle(_ events: LogicEvents) {
    loop.performAndWait { [logic] in logic.events = events }
  }

  /// Calls `report`, on the loop, with the error that ends the logic. The reads and writes that it
  /// handled are refused with Unlikely Error from then on. A new handler replaces it.
  public func onLogicError(_ report: @escaping @Sendable (LogicError) -> Void) {
    loop.performAndWait { [logic] in logic.report = report }
  }

  private func wanted(by answer: LogicAnswer) throws(LogicError.Reason) -> LogicEvents {
    guard let handles = answer.handles else { return .all }
    do {
      return try LogicEvents(handles, of: table)
    } catch {
      throw .invalidAnswer(error.description, received: answer.line)
    }
  }

  private func event(_ kind: LogicEvent.Kind) -> LogicEvent {
    logic.count += 1
    return LogicEvent(
      id: logic.count, device: title, time: loop.now.sinceStart, kind: kind,
      asked: logic.events.asked(kind)
    )
  }

  // MARK: Asking

  /// Asks about an event that is no request, and performs the actions of the answer.
  func ask(_ kind: LogicEvent.Kind) { ask(kind) { _ in } }

  /// Asks about a request, performs it as the answer says, then performs the actions of the answer.
  /// A value that an action sets replaces the written one, but does not affect the value that the
  /// request reads.
  func ask<Result>(_ kind: LogicEvent.Kind, _ carryOut: (LogicRuling) -> Result) -> Result {
    let state = logic
    guard state.logic != nil || state.hasFailed, state.events.contains(kind) else {
      return carryOut(.usual)
    }
    if state.hasFailed { return carryOut(.refused(.unlikelyError)) }
    guard let logic = state.logic else { return carryOut(.usual) }
    let event = event(kind)
    do throws(LogicError.Reason) {
      let answer = try logic.ask(event)
      let follow = try consequences(of: answer, to: event)
      defer { follow() }
      if let code = answer.error { return carryOut(.refused(code)) }
      return carryOut(answer.value.map { .value($0) } ?? .usual)
    } catch {
      fail(LogicError(device: title, event: event.title, error, at: state.place))
      return carryOut(.refused(.unlikelyError))
    }
  }

  private func fail(_ error: LogicError) {
    logic.hasFailed = true
    logic.wakes = []
    endLogic()
    stopWakes()
    logic.report(error)
  }

  /// Cancels the timers of the logic.
  private func stopWakes() { steer { _ in ((), [.cancel { $0.wake != nil }]) } }

  /// The attribute of an event; nil if the handle is not that of a value.
  func attribute(at handle: UInt16) -> LogicEvent.Attribute? {
    guard case .value(let index) = table.position(of: handle) else { return nil }
    let names = definition.names
    let characteristic = table.characteristics[index]
    let uuid = characteristic.entry.uuid
    let all = table.indices(of: CharacteristicSelector(characteristic: uuid))
    let instance = all.count > 1 ? all.firstIndex(of: index) : nil
    return LogicEvent.Attribute(
      service: names.title(of: characteristic.service, .service),
      characteristic: names.title(of: uuid, .characteristic) + (instance.map { "#\($0)" } ?? ""),
      handle: handle
    )
  }

  // MARK: Requests

  /// True if the device passes the read to the logic, rather than refusing it itself.
  func reachesLogic(reading handle: UInt16) -> Bool {
    look { state in
      guard case .value = state.position(of: handle) else { return false }
      return state.refusal(ofReading: handle) == nil
    }
  }

  /// The complete value of a write that the device passes to the logic; nil if the device refuses
  /// it itself.
  func reachesLogic(
    writing value: [UInt8], to handle: UInt16, at offset: Int, _ withResponse: Bool
  ) -> [UInt8]? {
    look { state in
      guard case .value(let index) = state.position(of: handle) else { return nil }
      return try? state.written(value, at: offset, to: index, withResponse: withResponse).get()
    }
  }

  /// Stores the value that the logic returned for a write.
  func store(_ value: [UInt8], at handle: UInt16) {
    steer { state in
      guard case .value(let index) = state.position(of: handle) else { return ((), []) }
      state.characteristics[index].stored = value
      state.characteristics[index].fix(at: value)
      return ((), [])
    }
  }

  /// Performs a request, and reports to the logic if a subscription has begun or ended.
  ///
  /// - Parameter handle: The handle of a value, or of its configuration.
  func reportingSubscription<Answer>(at handle: UInt16, _ request: () -> Answer) -> Answer {
    guard let attribute = attribute(ofSubscription: handle) else { return request() }
    let before = isSubscribed(attribute.handle)
    let answer = request()
    let after = isSubscribed(attribute.handle)
    if before != after {
      if after { requestSecurity(after: .subscribed, at: attribute.handle) }
      ask(after ? .subscribed(attribute) : .unsubscribed(attribute))
      tellProgram(attribute.handle, isSubscribed: after)
    }
    return answer
  }

  private func attribute(ofSubscription handle: UInt16) -> LogicEvent.Attribute? {
    switch table.position(of: handle) {
    case .value: attribute(at: handle)
    case .descriptor(let index, _): attribute(at: table.characteristics[index].entry.handle)
    case .declaration, nil: nil
    }
  }

  private func isSubscribed(_ handle: UInt16) -> Bool {
    look { state in
      guard case .value(let index) = state.position(of: handle) else { return false }
      return state.characteristics[index].mode != nil
    }
  }

  // MARK: Answers

  /// Checks an answer, and returns the closure that performs its actions.
  ///
  /// - Throws: The problem with an action; none of them is performed then.
  private func consequences(
    of answer: LogicAnswer, to event: LogicEvent
  ) throws(LogicError.Reason) -> () -> Void {
    try answer.check(for: event.kind)
    var actions: [@Sendable (inout DeviceState) -> [DeviceAction]] = []
    var wakes: [String] = []
    var advertised = advertised()
    var isAdvertised = (false, setsRSSI: false)
    do throws(Problem) {
      for action in answer.actions {
        switch action {
        case .notify(let name, let value):
          let index = try index(of: name)
          actions.append { state in
            state.characteristics[index].fix(at: value)
            return state.notify(index, value)
          }
        case .set(let name, let value):
          let index = try index(of: name)
          actions.append { state in
            state.characteristics[index].fix(at: value)
            return state.store(index, value)
          }
        case .disconnect: actions.append { [$0.after(.zero, .leave(absence: nil))] }
        case .requestSecurity: actions.append { [$0.after(.zero, .requestSecurity)] }
        case .advertise(let change):
          let changed = try DeviceFile.readAdvertisement(
            change, changing: advertised, of: definition
          )
          advertised = changed.advertisement
          isAdvertised = (true, isAdvertised.setsRSSI || changed.setsRSSI)
        case .wake(let name, let delay):
          wakes.append(name)
          actions.append { state in
            [.cancel { $0 == .wake(name) }, state.after(delay, .wake(name))]
          }
        }
      }
    } catch {
      throw .invalidAnswer(error.description, received: answer.line)
    }
    try remember(wakes, answer)
    return { [self, actions, advertised, isAdvertised] in
      steer { state in
        var due: [DeviceAction] = []
        for action in actions { due += action(&state) }
        return ((), due)
      }
      if isAdvertised.0 { advertise(advertised) }
      if isAdvertised.setsRSSI { move(nil) }
    }
  }

  private func remember(_ names: [String], _ answer: LogicAnswer) throws(LogicError.Reason) {
    let all = logic.wakes.union(names)
    guard all.count <= LogicState.wakeLimit else {
      throw .invalidAnswer("more than \(LogicState.wakeLimit) timers", received: answer.line)
    }
    logic.wakes = all
  }

  /// The index of the characteristic that an answer names.
  private func index(of name: String) throws(Problem) -> Int {
    let handle = try table.characteristic(named: name).handle
    guard case .value(let index) = table.position(of: handle) else {
      throw Problem("'\(name)' has no value")
    }
    return index
  }

  /// Reports an expired timer to the logic.
  func woken(_ name: String) {
    logic.wakes.remove(name)
    ask(.timer(name))
  }
}

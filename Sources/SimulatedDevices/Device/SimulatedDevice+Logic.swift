// The one place where a device asks its logic, and does what that answers.
//
// The logic is asked outside of all locks, and the loop waits for it.

import Bluetooth
public import Documents
import Signals

/// The logic of a device, and how far it has come.
struct LogicState {
  /// The timers that a logic may have set.
  static let wakeLimit = 1_000

  var logic: DeviceLogic?
  var place: Place?
  var events = LogicEvents.all
  var hasFailed = false
  /// The events so far.
  var count = 0
  /// The timers that are set.
  var wakes: Set<String> = []
  var report: @Sendable (LogicError) -> Void = { _ in }
}

/// What becomes of a request of a client.
enum LogicRuling: Equatable {
  /// What the device does without logic.
  case usual
  case value([UInt8])
  case refused(ATTErrorCode)
}

extension SimulatedDevice {
  /// Gives the device its logic, which is asked from now on, first `start`; nil: takes it away.
  ///
  /// The logic that it had is closed, and its timers are forgotten.
  ///
  /// - Parameters:
  ///   - logic: What is asked.
  ///   - events: What it is asked about; nil: what its answer to `start` names.
  ///   - place: Where a file names it, for errors.
  /// - Throws: ``LogicError`` for a wrong answer to `start`; the device then has no logic.
  public func setLogic(
    _ logic: DeviceLogic?,
    handling events: LogicEvents? = nil,
    at place: Place? = nil
  ) throws(LogicError) {
    let old = self.logic.withLock { state in
      let old = state.logic
      state = LogicState(count: state.count, report: state.report)
      return old
    }
    old?.close()
    steer { _, _ in ((), [.stopWakes]) }
    guard let logic else { return }
    self.logic.withLock { state in
      state.logic = logic
      state.place = place
    }
    var random = generator.split("logic")
    let event = event(.start(seed: Int(random.next() >> 11)))
    do throws(LogicError.Reason) {
      let answer = try logic.ask(event)
      try perform(answer, to: event)
      let wanted = try wanted(by: answer)
      self.logic.withLock { $0.events = events ?? wanted }
    } catch {
      self.logic.withLock { $0.logic = nil }
      logic.close()
      throw LogicError(device: title, event: event.title, error, at: place)
    }
  }

  /// Closes the logic: the simulation has ended, and nothing is asked any more.
  public func endLogic() {
    let logic = logic.withLock { state in
      defer { state.logic = nil }
      return state.logic
    }
    logic?.close()
  }

  /// Whether the device has logic that answers.
  public var hasLogic: Bool { logic.withLock { $0.logic != nil } }

  /// Replaces what the logic is asked about.
  public func handle(_ events: LogicEvents) { logic.withLock { $0.events = events } }

  /// Has `report` called, on the loop, with the error that ends the logic. From then on the reads and
  /// writes that it handled are refused with Unlikely Error. The next handler replaces it.
  public func onLogicError(_ report: @escaping @Sendable (LogicError) -> Void) {
    logic.withLock { $0.report = report }
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
    let (id, asked) = logic.withLock { state in
      state.count += 1
      return (state.count, state.events.asked(kind))
    }
    return LogicEvent(id: id, device: title, time: loop.now.sinceStart, kind: kind, asked: asked)
  }

  // MARK: Asking

  /// Asks about an event, and does what the answer has to be done.
  @discardableResult
  func ask(_ kind: LogicEvent.Kind) -> LogicRuling {
    let (logic, hasFailed, place) = logic.withLock { state in
      let isHandled = (state.logic != nil || state.hasFailed) && state.events.contains(kind)
      return (isHandled ? state.logic : nil, isHandled && state.hasFailed, state.place)
    }
    if hasFailed { return .refused(.unlikelyError) }
    guard let logic else { return .usual }
    let event = event(kind)
    do throws(LogicError.Reason) {
      let answer = try logic.ask(event)
      try perform(answer, to: event)
      if let code = answer.error { return .refused(code) }
      return answer.value.map { .value($0) } ?? .usual
    } catch {
      fail(LogicError(device: title, event: event.title, error, at: place))
      return .refused(.unlikelyError)
    }
  }

  private func fail(_ error: LogicError) {
    let (logic, report) = logic.withLock { state in
      defer {
        state.logic = nil
        state.hasFailed = true
        state.wakes = []
      }
      return (state.logic, state.report)
    }
    logic?.close()
    steer { _, _ in ((), [.stopWakes]) }
    report(error)
  }

  /// The attribute that an event is about; nil where the handle is not that of a value.
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

  /// Whether a read gets as far as the logic: the device refuses others by itself.
  func reachesLogic(reading handle: UInt16) -> Bool {
    steer { state, _ in
      guard case .value(let index) = state.position(of: handle) else { return (false, []) }
      return (state.refusal(ofReading: index) == nil, [])
    }
  }

  /// The whole value of a write that gets as far as the logic; nil for others.
  func reachesLogic(
    writing value: [UInt8],
    to handle: UInt16,
    at offset: Int,
    _ withResponse: Bool
  ) -> [UInt8]? {
    steer { state, _ in
      guard case .value(let index) = state.position(of: handle) else { return (nil, []) }
      let whole = state.written(value, at: offset, to: index, withResponse: withResponse)
      return (try? whole.get(), [])
    }
  }

  /// Keeps a value that the logic made of a write.
  func keep(_ value: [UInt8], at handle: UInt16) {
    steer { state, _ in
      guard case .value(let index) = state.position(of: handle) else { return ((), []) }
      state.characteristics[index].stored = value
      if state.characteristics[index].definition.behaviour.isMoving {
        state.characteristics[index].held = value
      }
      return ((), [])
    }
  }

  /// Reports to the logic whether a request has begun or ended a subscription.
  ///
  /// - Parameter handle: Of a value, or of its configuration.
  func reportingSubscription<Answer>(at handle: UInt16, _ request: () -> Answer) -> Answer {
    guard let attribute = attribute(ofSubscription: handle) else { return request() }
    let before = isSubscribed(attribute.handle)
    let answer = request()
    let after = isSubscribed(attribute.handle)
    if before != after {
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
    steer { state, _ in
      guard case .value(let index) = state.position(of: handle) else { return (false, []) }
      return (state.characteristics[index].mode != nil, [])
    }
  }

  // MARK: Answers

  /// Does what an answer has to be done, or nothing when something in it is wrong.
  private func perform(
    _ answer: LogicAnswer,
    to event: LogicEvent
  ) throws(LogicError.Reason) {
    try answer.check(for: event.kind)
    var actions: [DeviceAction] = []
    var advertised = advertised()
    var isAdvertised = (false, setsRSSI: false)
    do throws(Problem) {
      for action in answer.actions {
        switch action {
        case .notify(let name, let value):
          actions.append(.notify(characteristic: try index(of: name), value: value, after: .zero))
        case .set(let name, let value):
          actions.append(.store(characteristic: try index(of: name), value: value, after: .zero))
        case .disconnect: actions.append(.leave(absence: nil, after: .zero))
        case .advertise(let change):
          let changed = try DeviceFile.readAdvertisement(
            change,
            changing: advertised,
            of: definition
          )
          advertised = changed.advertisement
          isAdvertised = (true, isAdvertised.setsRSSI || changed.setsRSSI)
        case .wake(let name, let delay): actions.append(.wake(name, after: delay))
        }
      }
    } catch {
      throw .invalidAnswer(error.description, received: answer.line)
    }
    try remember(actions, answer)
    steer { [actions] state, _ in
      for action in actions {
        switch action {
        case .notify(let index, let value, _), .store(let index, let value, _):
          // What moves by itself stands still at a value that it is given.
          if state.characteristics[index].definition.behaviour.isMoving {
            state.characteristics[index].held = value
          }
        case .timer, .stopTimers, .leave, .comeBack, .watchLink, .tick, .stopTicks, .wake,
          .stopWakes:
          break
        }
      }
      return ((), actions)
    }
    if isAdvertised.0 { advertise(advertised) }
    if isAdvertised.setsRSSI { move(nil) }
  }

  private func remember(
    _ actions: [DeviceAction],
    _ answer: LogicAnswer
  ) throws(LogicError.Reason) {
    let names = actions.compactMap { if case .wake(let name, _) = $0 { name } else { nil } }
    let isFull = logic.withLock { state in
      let all = state.wakes.union(names)
      if all.count <= LogicState.wakeLimit { state.wakes = all }
      return all.count > LogicState.wakeLimit
    }
    if isFull {
      throw .invalidAnswer("more than \(LogicState.wakeLimit) timers", received: answer.line)
    }
  }

  /// The index of a characteristic that an answer names.
  private func index(of name: String) throws(Problem) -> Int {
    let handle = try table.characteristic(named: name).handle
    guard case .value(let index) = table.position(of: handle) else {
      throw Problem("'\(name)' has no value")
    }
    return index
  }

  /// A timer of the logic is over.
  func woken(_ name: String) {
    logic.withLock { _ = $0.wakes.remove(name) }
    ask(.timer(name))
  }
}

// Steps in Swift: one function for each kind, by the name that it has in a chain file.

public import Bluetooth

extension Step {
  /// Connects; a chain does so by itself before its first step.
  public static var connect: Step { Step(.connect) }
  /// Disconnects; a chain does so by itself at its end.
  public static var disconnect: Step { Step(.disconnect) }
  /// Measures the strength of the link.
  public static var rssi: Step { Step(.rssi) }
  /// Tells the ATT MTU.
  public static var mtu: Step { Step(.mtu) }
  /// Tells interval, latency and supervision timeout of the link.
  public static var connectionParameters: Step { Step(.connectionParameters) }
  /// Lists what the device offers.
  public static var services: Step { Step(.services) }
  /// Forgets the device and its bond.
  public static var unpair: Step { Step(.unpair) }

  /// Pairs, answering what that asks as `rule` says.
  public static func pair(_ rule: PairingRule = PairingRule()) -> Step { Step(.pair(rule)) }

  /// Has the device trusted, or no more.
  public static func trust(_ isTrusted: Bool = true) -> Step { Step(.trust(isTrusted)) }

  /// Waits.
  public static func sleep(_ duration: Duration) -> Step { Step(.sleep(duration)) }

  /// Says a text, with captured values in braces.
  ///
  /// - Throws: ``PlanError`` for a brace that is not closed.
  public static func log(_ text: String) throws(PlanError) -> Step {
    guard let template = MessageTemplate(text) else {
      throw PlanError(step: nil, problem: "'\(text)' is not \(MessageTemplate.shape)")
    }
    return Step(.log(template))
  }

  /// Listens who is in the air.
  public static func scan(for duration: Duration, _ filter: ScanFilter = ScanFilter()) -> Step {
    Step(.scan(Scanning(for: duration, filter: filter)))
  }

  // MARK: Values

  /// Reads a characteristic.
  ///
  /// - Parameters:
  ///   - target: As in a chain file: `battery-level`, `180f/2a19#1`.
  ///   - offset: The first octet that is read.
  ///   - format: How to understand the value where no standard says so: `u16be`.
  /// - Throws: `SelectorError` and ``PlanError`` for a target or a format that is none.
  public static func read(
    _ target: String,
    offset: Int = 0,
    format: String? = nil
  ) throws -> Step {
    let selector = try CharacteristicSelector(parsing: target)
    let format = try ValueFormat(written: format)
    return Step(.read(selector, offset: offset, format: format))
  }

  /// Writes a characteristic.
  ///
  /// - Parameter values: As on one line: `u8:1`, `utf8:two words`, `u8:{level.percent}`.
  /// - Throws: `SelectorError`, `ValueError` and ``PlanError`` for what cannot be written.
  public static func write(
    _ target: String,
    _ values: String...,
    kind: WriteKind = .automatic,
    offset: Int = 0,
    delivery: Write.Delivery = .call
  ) throws -> Step {
    let write = Write(
      try WrittenValue(written: values),
      to: try CharacteristicSelector(parsing: target),
      kind: kind,
      offset: offset,
      delivery: delivery
    )
    if let complaint = write.contradiction { throw PlanError(step: nil, problem: "\(complaint)") }
    return Step(.write(write))
  }

  /// Writes, and takes the notification that answers; ``answered(_:_:)`` says which one does.
  ///
  /// - Parameter answer: Where the answer comes; where it is written when nil.
  public static func exchange(
    _ target: String,
    _ values: String...,
    answer: String? = nil,
    format: String? = nil
  ) throws -> Step {
    let selector = try CharacteristicSelector(parsing: target)
    let exchanging = Exchanging(
      Write(try WrittenValue(written: values), to: selector),
      answer: try answer.map { try CharacteristicSelector(parsing: $0) },
      format: try ValueFormat(written: format)
    )
    return Step(.exchange(exchanging))
  }

  /// Reads a descriptor: `battery-level/2901`.
  public static func readDescriptor(_ target: String, format: String? = nil) throws -> Step {
    let selector = try DescriptorSelector(parsing: target)
    return Step(.readDescriptor(selector, format: try ValueFormat(written: format)))
  }

  /// Writes a descriptor.
  public static func writeDescriptor(_ target: String, _ values: String...) throws -> Step {
    let selector = try DescriptorSelector(parsing: target)
    return Step(.writeDescriptor(selector, try WrittenValue(written: values)))
  }

  // MARK: Many values

  /// Subscribes, and takes values until there are enough; see ``until(_:_:)`` too.
  ///
  /// - Parameters:
  ///   - trigger: A ``write(_:_:kind:offset:delivery:)`` that is done once the subscription stands.
  ///   - count: How many values are enough.
  ///   - duration: How long to listen. Silence is no failure then.
  ///   - silence: How long nothing has to come.
  public static func notify(
    _ target: String,
    after trigger: Step? = nil,
    count: Int? = nil,
    for duration: Duration? = nil,
    untilSilent silence: Duration? = nil,
    format: String? = nil,
    options: SubscriptionOptions = SubscriptionOptions()
  ) throws -> Step {
    var listening = Listening(
      to: try CharacteristicSelector(parsing: target),
      format: try ValueFormat(written: format),
      count: count,
      duration: duration,
      silence: silence,
      options: options
    )
    if let trigger {
      guard case .write(let write) = trigger.action else {
        throw PlanError(step: nil, problem: "'\(trigger)' is not a write")
      }
      listening.trigger = write
    }
    return Step(.notify(listening))
  }

  /// Reads at fixed times until there are enough values.
  public static func poll(
    _ target: String,
    every period: Duration,
    count: Int? = nil,
    for duration: Duration? = nil,
    format: String? = nil
  ) throws -> Step {
    let selector = try CharacteristicSelector(parsing: target)
    let enough = Enough(count: count, duration: duration)
    let format = try ValueFormat(written: format)
    return Step(.poll(Polling(selector, every: period, format: format, enough)))
  }

  /// Looks at the latest of several values together, whenever one of them changes.
  public static func combine(
    _ inputs: Combining.Input...,
    count: Int? = nil,
    for duration: Duration? = nil
  ) -> Step {
    Step(.combine(Combining(inputs, Enough(count: count, duration: duration))))
  }

  // MARK: Steps in steps

  /// Does steps several times.
  public static func repeated(
    _ count: Int,
    @StepsBuilder _ steps: () throws -> [Step]
  ) rethrows -> Step {
    Step(.repeated(count: count, try steps()))
  }

  /// Does steps when a captured value is as it has to be.
  ///
  /// - Parameter path: `reading`, `reading.celsius`.
  /// - Throws: What `steps` throws; ``PlanError`` for a path that is none.
  public static func when(
    _ path: String,
    _ check: Check,
    @StepsBuilder _ steps: () throws -> [Step]
  ) throws -> Step {
    Step(.when(Condition([try Condition.Test(path, check)]), try steps()))
  }

  /// Does steps, then others, however the first ended: by failure, cancellation, deadline.
  public static func attempt(
    @StepsBuilder _ steps: () throws -> [Step],
    @StepsBuilder finally last: () throws -> [Step]
  ) rethrows -> Step {
    Step(.tried(try steps(), finally: try last()))
  }
}

extension Condition.Test {
  /// A check of the captured value, or of a field of one, that a text names.
  init(_ path: String, _ check: Check) throws(PlanError) {
    guard let path = VariablePath(path) else {
      throw PlanError(step: nil, problem: "'\(path)' is not the name of a captured value")
    }
    self.init(path, check)
  }
}

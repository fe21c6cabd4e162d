// Names that other libraries give to what this one has, so that the compiler says the right form.
//
// None of them can be called.

extension Signal {
  @available(*, unavailable, message: "use on(value:failure:completed:)")
  public func on(next: (Value) -> Void) -> Signal { notCallable() }

  @available(*, unavailable, message: "use on(value:failure:completed:)")
  public func on(failed: (any Error) -> Void) -> Signal { notCallable() }

  @available(*, unavailable, message: "use on(value:failure:completed:)")
  public func on(error: (any Error) -> Void) -> Signal { notCallable() }

  @available(*, unavailable, message: "use on(value:failure:completed:)")
  public func handleEvents(receiveOutput: (Value) -> Void) -> Signal { notCallable() }

  @available(
    *, unavailable,
    message: "use observe for events, withValues or values for a loop, first(within:) for one value"
  )
  public func subscribe(_ next: (Value) -> Void) { notCallable() }

  @available(
    *, unavailable,
    message: "use observe for events, withValues or values for a loop, first(within:) for one value"
  )
  public func sink(receiveValue: (Value) -> Void) { notCallable() }

  @available(
    *, unavailable,
    message: "use observe for events, withValues or values for a loop, first(within:) for one value"
  )
  public func startWithValues(_ next: (Value) -> Void) { notCallable() }

  @available(*, unavailable, renamed: "flattenMap(_:)")
  public func flatMap<Output>(_ transform: (Value) throws -> Signal<Output>) -> Signal<Output> {
    notCallable()
  }

  @available(*, unavailable, renamed: "flattenMap(_:_:)")
  public func flatMap<Output>(
    _ strategy: FlattenStrategy, _ transform: (Value) throws -> Signal<Output>
  ) -> Signal<Output> { notCallable() }

  @available(*, unavailable, renamed: "catchError(_:)")
  public func `catch`(_ handler: (any Error) throws -> Signal) -> Signal { notCallable() }

  @available(*, unavailable, renamed: "take(_:)")
  public func take(first count: Int) -> Signal { notCallable() }

  @available(*, unavailable, renamed: "skip(_:)")
  public func skip(first count: Int) -> Signal { notCallable() }

  @available(*, unavailable, message: "use Signal.merge(first, second)")
  public func merge(with other: Signal) -> Signal { notCallable() }

  @available(*, unavailable, renamed: "debounce(_:)")
  public func debounce(for pause: Duration) -> Signal { notCallable() }

  @available(*, unavailable, renamed: "timeout(_:_:)")
  public func timeout(after limit: Duration) -> Signal { notCallable() }

  @available(
    *, unavailable, message: "use retry(RetryPolicy(attempts:)), whose first attempt counts, too"
  )
  public func retry(_ count: Int) -> Signal { notCallable() }

  @available(
    *, unavailable,
    message:
      "use observe(on: scheduler.loop), which takes no turn, or on(scheduler) and a way out that does"
  )
  public func observe(
    on scheduler: SerialScheduler, _ receive: (Event<Value>) -> Void
  ) { notCallable() }

  @available(
    *, unavailable, message: "a signal has no value before it is run: await first(within:)"
  )
  public var value: Value { notCallable() }
}

/// The body of a declaration that no program can call.
package func notCallable() -> Never { preconditionFailure("this name is unavailable") }

// Forms that look right and are not, so that the compiler says the right one.
//
// None of them can be called.

public import Signals

extension Device {
  @available(
    *, unavailable,
    message:
      "the value of a characteristic without a type is bytes: write([1], to: \"alert-level\")"
  )
  public func write(
    _ value: Int, to characteristic: CharacteristicSelector, kind: WriteKind = .request
  ) -> Signal<Void> { notCallable() }

  @available(
    *, unavailable,
    message: "the value of a characteristic without a type is bytes: write(Array(text.utf8), to:)"
  )
  public func write(
    _ text: String, to characteristic: CharacteristicSelector, kind: WriteKind = .request
  ) -> Signal<Void> { notCallable() }

  @available(
    *, unavailable,
    message: "the block of session returns one signal: chain the operations with flattenMap or then"
  )
  public func session(_ body: @escaping @Sendable () -> Void) -> Signal<Void> { notCallable() }

  @available(
    *, unavailable,
    message: "the block of session returns a signal and awaits nothing: use withConnection"
  )
  public func session<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) -> Signal<R> { notCallable() }
}

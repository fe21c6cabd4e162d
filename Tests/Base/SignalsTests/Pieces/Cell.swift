// A value that is changed inside an expectation, where a variable cannot be.

/// Holds a value.
final class Cell<Value> {
  private(set) var value: Value

  init(_ value: Value) { self.value = value }

  /// Changes the value.
  func callAsFunction<R>(_ change: (inout Value) -> R) -> R { change(&value) }
}

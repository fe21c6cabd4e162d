// Usual mistakes in Swift: the compiler names the right form.

import Fixtures
import Testing

@Suite("Usual mistakes", .blocking)
struct MistakeTests {
  /// An expression, and a part of the compiler's message about it.
  private static let mistakes: KeyValuePairs<String, String> = [
    "read.on(next: { print($0) })": "use on(value:failure:completed:)",
    "read.on(error: { print($0) })": "use on(value:failure:completed:)",
    "read.subscribe { print($0) }": "first(within:) for one value",
    "read.sink { print($0) }": "first(within:) for one value",
    "read.flatMap { _ in read }": "'flattenMap(_:)'",
    "read.flatMap(.latest) { _ in read }": "'flattenMap(_:_:)'",
    "read.catch { _ in .just(0) }": "'catchError(_:)'",
    "read.take(first: 1)": "'take(_:)'",
    "read.skip(first: 1)": "'skip(_:)'",
    "read.merge(with: read)": "use Signal.merge(first, second)",
    "read.debounce(for: .seconds(1))": "'debounce(_:)'",
    "read.timeout(after: .seconds(1))": "'timeout(_:_:)'",
    "read.retry(3)": "use retry(RetryPolicy(attempts:))",
    "read.observe(on: device.scheduler) { _ in }": "use observe(on: scheduler.loop)",
    "read.value": "await first(within:)",
    "try read.firstOrThrow(within: .seconds(1))": "await first(within:) instead",
    #"device.write(1, to: "alert-level")"#: #"write([1], to: "alert-level")"#,
    #"device.write("on", to: "alert-level")"#: "write(Array(text.utf8), to:)",
    "device.session { try await read.first() }": "use withConnection",
    "device.session {\n    read\n    read\n  }": "chain the operations with flattenMap or then",
  ]

  @Test("the compiler's messages about twenty usual mistakes name the right form")
  func messages() throws {
    let functions = Self.mistakes.enumerated().map { number, mistake in
      """
      func mistake\(number)(_ device: any Device) async throws {
        let read = device.read(.batteryLevel)
        _ = \(mistake.key)
      }
      """
    }
    let code = (["import Bluetooth", "import Signals"] + functions).joined(separator: "\n")
    let run = try PageCode(of: "docs/swift.md").typecheck(code)
    #expect(run.status != 0)
    #expect(Self.mistakes.count == 20)
    for (mistake, message) in Self.mistakes {
      #expect(run.errors.contains(message), "\(mistake): \(run.errors)")
    }
  }
}

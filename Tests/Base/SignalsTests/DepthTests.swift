// Long chains and loops on an ordinary stack. Run in release builds: see the Makefile.

import Signals
import Testing

@Suite("Depth")
struct DepthTests {
  #if DEBUG
    static let chain = 20_000
  #else
    static let chain = 100_000
  #endif

  @Test("a chain of flattenMaps runs and is freed on an 8 MiB stack")
  func chain() {
    var signal = Signal.just(0)
    for _ in 0..<Self.chain { signal = signal.flattenMap { .just($0 + 1) } }
    let outcome = signal.firstOrDefault(-1, within: .seconds(600))
    #expect(outcome.value == Self.chain)
  }

  @Test("a loop of a million flattenMaps runs and is freed on an 8 MiB stack")
  func loop() {
    @Sendable func count(_ number: Int) -> Signal<Int> {
      Signal.just(number).flattenMap { $0 == 1_000_000 ? .just($0) : count($0 + 1) }
    }
    #expect(count(0).firstOrDefault(-1, within: .seconds(600)).value == 1_000_000)
  }
}

// Devices of a fleet that failed although their chain did not are counted apart.

import Bluetooth
import Documents
import Testing

@testable import Jobs

@Suite("Ends counted apart")
struct EndsApartTests {
  private static func ending(_ code: String) -> RunEnding {
    let failure = RunFailure(
      code: DeviceFailure.Code(rawValue: code), class: .definite, what: "running the job", why: "so"
    )
    return RunEnding(status: .failed, failure: failure, step: nil, done: 0)
  }

  @Test("the numbers by code follow that of all failures; a failure of the chain is not among them")
  func text() {
    var counts = BatchCounts()
    for code in ["no-gateway", "unknown", "timeout", "unknown"] { counts.count(Self.ending(code)) }
    #expect(counts.failed == 4)
    let progress = BatchProgress(total: 5, begun: .zero, before: counts)
    #expect(progress.text(at: .zero) == "4/5 devices, 4 failed (2 unknown, 1 no-gateway)")
    #expect(counts.apart.json?.text == #"{"unknown":2,"no-gateway":1}"#)
  }

  @Test("a batch whose chains failed has none")
  func none() {
    var counts = BatchCounts()
    counts.count(Self.ending("timeout"))
    #expect(counts.apart.json == nil && counts.apart.text == "")
  }
}

// What an event knows of an operation beyond its name.

import RunEvents
import Testing

@testable import Jobs

@Suite("Steps in events")
struct ReportedStepTests {
  @Test("an event knows which operations have many values, and which contain steps")
  func traits() {
    // An `rssi` is one only at an interval, and says so itself.
    let kinds = Step.entries.compactMap { ($0 as? any StepKind.Type)?.init() }
    #expect(ReportedStep.streams == Set(kinds.filter { $0.isStream }.map { type(of: $0).verb }))
    #expect(ReportedStep.update == FirmwareStep.verb)
    #expect(ReportedStep.blocks == Set(Step.entries.filter { $0.hasInnerSteps }.map { $0.verb }))
  }
}

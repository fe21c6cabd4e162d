// The journal of a suite of nRF Connect.

import Bluetooth
import Jobs
import Journal
import NordicSuites
import Signals

extension RunJournal {
  /// What receives the events of a suite.
  func receiving(_ devices: SuiteDevices) -> @Sendable (SuiteEvent) -> Void {
    struct Test {
      var records: SuiteRecords
      let take: @Sendable (JournalRecord, Duration) -> Void
    }
    let test = Guarded<Test?>(nil)
    return { [self] event in
      if case .testStarted(let started, _) = event.change {
        let device = devices.label(of: started.target)
        let records = SuiteRecords(started, device: device, begun: event.offset)
        let take = self.records()
        test.withLock { $0 = Test(records: records, take: take) }
      }
      let (records, take) = test.withLock { test in
        (test?.records.records(of: event) ?? [], test?.take)
      }
      for record in records { take?(record, event.wallClock) }
    }
  }
}

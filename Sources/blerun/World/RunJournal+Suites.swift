// The journal of a suite of nRF Connect.

import Bluetooth
import Jobs
import Journal
import NordicSuites
import Signals

extension RunJournal {
  /// What hears the events of a suite.
  ///
  /// - Parameter devices: The devices of targets that the suite gives no address.
  func hearing(
    _ suite: Suite,
    _ devices: [String: DeviceTarget]
  ) -> @Sendable (SuiteEvent) -> Void {
    typealias Test = (records: SuiteRecords, take: @Sendable (JournalRecord, Duration) -> Void)
    let test = Guarded<Test?>(nil)
    return { [self] event in
      if case .testStarted(let started, _) = event.change {
        let device = suite.label(of: started.target, devices)
        let records = SuiteRecords(started, device: device, begun: event.offset)
        let take = self.records()
        test.withLock { $0 = (records, take) }
      }
      let (records, take) = test.withLock { test in
        (test?.records.records(of: event) ?? [], test?.take)
      }
      for record in records { take?(record, event.wallClock) }
    }
  }
}

extension Suite {
  /// What the device of a target is called, as far as that is known before a scan binds it.
  fileprivate func label(of id: String?, _ devices: [String: DeviceTarget]) -> String {
    let id = id ?? targets.first?.id
    guard let target = targets.first(where: { $0.id == id }) else { return id ?? "-" }
    return devices[target.id]?.text ?? target.address.map { "\($0)" } ?? target.name ?? target.id
  }
}

// A follower of one job: delivers its events in order, and requests missing ones.
//
// EventFollowing decides; this sends its requests. The owner subscribes to the chunks and records.

import Fleet
import Signals

/// Follows the events of a job.
final class JobFollowing: Sendable {
  /// The callbacks, called on the loop.
  struct Receivers: Sendable {
    /// Called with the next events of the run of a claim; each is a line of JSON.
    let deliver: @Sendable (_ lines: [String], _ nonce: String) -> Void
    /// Called when the job has ended and no more events will be delivered.
    let complete: @Sendable (EndRecord, _ missing: Int) -> Void
  }

  private let store: any JobStore
  private let receivers: Receivers
  private let alarm: MemberAlarm
  private let state: Guarded<EventFollowing>

  init(of job: JobID, on connection: FleetConnection, _ loop: Loop, _ receivers: Receivers) {
    store = connection.store
    self.receivers = receivers
    alarm = MemberAlarm(on: BootClock(loop: loop))
    state = Guarded(EventFollowing(of: job))
  }

  /// Handles a chunk or a record. They may come in any order, and repeatedly.
  func handle(_ event: EventFollowing.Event) {
    let now = BootClock.now
    for action in state.withLock({ $0.handle(event, at: now) }) { perform(action) }
    alarm.wake(at: state.withLock { $0.next }) { [weak self] in self?.handle(.woken) }
  }

  /// Handles a value of the store; other values than chunks and records are ignored.
  func receive(_ value: StoredValue) {
    switch value {
    case .events(let chunk): handle(.chunk(chunk))
    case .record(let record): handle(.record(record))
    case .device, .job, .chain, .gateway, .sweep, .eventsWanted, .sightings, .announcement: break
    }
  }

  private func perform(_ action: EventFollowing.Action) {
    switch action {
    case .deliver(let lines, let nonce): receivers.deliver(lines, nonce)
    case .ask(let request, let gateway):
      let ask = StoreRequest.publish(.eventsWanted(of: gateway), .eventsWanted(request))
      store.perform(ask, within: FleetSettings().requestLimit) { _ in }
    case .complete(let end, let missing):
      receivers.complete(end, missing)
    }
  }
}

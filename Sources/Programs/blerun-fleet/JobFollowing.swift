// One job under way as somebody follows it: its events in order, and what is missing asked for.
//
// Thin: EventFollowing decides. Where the chunks and records come from is up to whoever follows.

import Fleet
import Signals

/// Follows the events of a job.
final class JobFollowing: Sendable {
  /// Who receives what. Called on the loop.
  struct Receivers: Sendable {
    /// Further events of the run of a claim, a line of JSON each.
    let deliver: @Sendable (_ lines: [String], _ nonce: String) -> Void
    /// The job has ended, and nothing more comes; so many events were not found.
    let complete: @Sendable (EndRecord, _ missing: Int) -> Void
  }

  private let store: any JobStore
  private let receivers: Receivers
  private let alarm: BootAlarm
  private let state: Guarded<EventFollowing>

  init(of job: JobID, on connection: FleetConnection, _ loop: Loop, _ receivers: Receivers) {
    store = connection.store
    self.receivers = receivers
    alarm = BootAlarm(on: loop)
    state = Guarded(EventFollowing(of: job))
  }

  /// Takes what has come: chunks and records, in any order and any number of times.
  func handle(_ event: EventFollowing.Event) {
    let now = BootClock.now
    for action in state.withLock({ $0.handle(event, at: now) }) { perform(action) }
    alarm.wake(at: state.withLock { $0.next }) { [weak self] in self?.handle(.woken) }
  }

  /// Takes a value of the store, if it is about the job's events.
  func take(_ value: StoredValue) {
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

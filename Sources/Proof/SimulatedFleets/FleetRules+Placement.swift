// Rules about job placement, name resolution, and the events that followers receive.

import Bluetooth
import Fleet
import Signals

extension FleetRules {
  /// Records a job that was passed to a submitter.
  mutating func submitted(_ draft: FleetWorld.JobDraft) {
    submissions[draft.job.device, default: []].append((draft.job.id, draft.submitter))
  }

  /// Checks the queue order of a job that was queued for its device.
  mutating func checkOrder(of job: JobID, on address: BluetoothAddress, at now: Duration) {
    let all = submissions[address] ?? []
    guard let index = all.firstIndex(where: { $0.job == job }) else { return }
    let earlier = all[..<index].first { one in
      one.submitter == all[index].submitter && queues[address]?.contains(one.job) != true
    }
    if let earlier {
      addProblem(
        "Jobs are queued in the order of submission", "\(job) before \(earlier.job)", at: now)
    }
  }

  /// Checks that each gateway that began a job was eligible for it.
  mutating func checkPlacement(
    of draft: FleetWorld.JobDraft, _ world: FleetWorld, at now: Duration
  ) {
    let job = draft.job
    for gateway in (begun[job.id] ?? []).sorted() {
      let entry = world.entries[gateway]
      let only = world.bonded(job.device).map { "gateway-\($0)" } ?? job.pin
      if let only, only != "gateway-\(gateway)" {
        addProblem("A job runs where its bond or its pin is", "\(job.id) at \(gateway)", at: now)
      }
      if entry.format < job.format || !job.needs.allSatisfy(entry.capabilities.contains) {
        addProblem("A gateway runs what it is capable of", "\(job.id) at \(gateway)", at: now)
      }
    }
  }

  // MARK: Names

  /// Checks a name that was resolved to a device.
  mutating func resolved(
    _ draft: FleetWorld.JobDraft, _ address: BluetoothAddress, _ world: FleetWorld,
    at now: Duration
  ) {
    let advertised = world.advertised(by: address)
    let isOnly = world.names.count { $0.name == draft.name && $0.isIdentity } == 1
    // With lost reports, the submitter may not know of a second device of that name.
    let isTrue =
      advertised.name == draft.name && advertised.isIdentity
      && (isOnly || world.faults.lostDeliveries > 0 || !world.disturbances.isEmpty)
    if !isTrue {
      addProblem("A name means one device", "\(draft.name ?? "") is \(address)", at: now)
    }
  }

  /// Checks a name for which no device was found.
  mutating func unresolved(
    _ draft: FleetWorld.JobDraft, _ state: EndState, _ world: FleetWorld, at now: Duration
  ) {
    let named = world.names.filter { $0.name == draft.name }
    let isTrue: Bool
    switch state {
    case .ambiguous: isTrue = named.count { $0.isIdentity } > 1
    case .needsBond: isTrue = named.contains { !$0.isIdentity }
    case .noGateway: isTrue = true
    case .ok, .failed, .cancelled, .unknown, .interrupted, .noCapableGateway, .expired, .held:
      isTrue = false
    }
    unresolvedEnds[state, default: 0] += 1
    if !isTrue {
      addProblem("A name means one device", "\(draft.name ?? "") ended as \(state)", at: now)
    }
  }

  // MARK: Events

  /// Checks the events that a follower received of a job.
  mutating func followed(
    _ job: JobID, _ end: EndRecord, _ events: [String], missing: Int, kept: [String],
    at now: Duration
  ) {
    let isTrue =
      missing == 0
      ? events.count >= end.events && events.starts(with: kept.prefix(end.events))
      : events.count + missing == end.events
    if !isTrue {
      let detail = "\(job): \(events.count) of \(end.events) events, \(missing) missing"
      addProblem("A follower has all events, or knows how many it lacks", detail, at: now)
    }
  }

  /// Checks that a follower that was never cut off received everything in the gateway's journal.
  mutating func followedToTheEnd(
    _ job: JobID, _ end: EndRecord, missing: Int, kept: [String], at now: Duration
  ) {
    guard missing > 0, kept.count >= end.events else { return }
    let detail = "\(job): \(missing) of \(end.events) events missing"
    addProblem("A follower has what the journal of the gateway has", detail, at: now)
  }
}

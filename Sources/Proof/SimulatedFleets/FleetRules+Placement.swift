// The rules about where jobs run, what names mean, and what followers learn.

import Bluetooth
import Fleet
import Signals

extension FleetRules {
  /// A job is given to a submitter.
  mutating func submitted(_ draft: FleetWorld.JobDraft) {
    submissions[draft.job.device, default: []].append((draft.job.id, draft.submitter))
  }

  /// A job has come into the queue of its device.
  mutating func checkOrder(of job: JobID, on address: BluetoothAddress, at now: Duration) {
    let all = submissions[address] ?? []
    guard let index = all.firstIndex(where: { $0.job == job }) else { return }
    let earlier = all[..<index].first { one in
      one.submitter == all[index].submitter && queues[address]?.contains(one.job) != true
    }
    if let earlier {
      breaks("Jobs are queued in the order of submission", "\(job) before \(earlier.job)", at: now)
    }
  }

  /// The gateways that began a job were allowed to.
  mutating func checkPlacement(
    of draft: FleetWorld.JobDraft, _ world: FleetWorld, at now: Duration
  ) {
    let job = draft.job
    for gateway in (begun[job.id] ?? []).sorted() {
      let entry = world.entries[gateway]
      let only = world.bonded(job.device).map { "gateway-\($0)" } ?? job.pin
      if let only, only != "gateway-\(gateway)" {
        breaks("A job runs where its bond or its pin is", "\(job.id) at \(gateway)", at: now)
      }
      if entry.format < job.format || !job.needs.allSatisfy(entry.capabilities.contains) {
        breaks("A gateway runs what it is capable of", "\(job.id) at \(gateway)", at: now)
      }
    }
  }

  // MARK: Names

  /// A name was resolved to a device.
  mutating func resolved(
    _ draft: FleetWorld.JobDraft, _ address: BluetoothAddress, _ world: FleetWorld,
    at now: Duration
  ) {
    let advertised = world.advertised(by: address)
    let isOnly = world.names.count { $0.name == draft.name && $0.isIdentity } == 1
    // Where reports are lost, a second device of the name may not be known.
    let isTrue =
      advertised.name == draft.name && advertised.isIdentity
      && (isOnly || world.faults.lostDeliveries > 0 || !world.disturbances.isEmpty)
    if !isTrue {
      breaks("A name means one device", "\(draft.name ?? "") is \(address)", at: now)
    }
  }

  /// There is no device for a name.
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
      breaks("A name means one device", "\(draft.name ?? "") ended as \(state)", at: now)
    }
  }

  // MARK: Events

  /// A follower has what it can have of the events of a job.
  mutating func followed(
    _ job: JobID, _ end: EndRecord, _ events: [String], missing: Int, kept: [String],
    at now: Duration
  ) {
    let isTrue =
      missing == 0
      ? events.count >= end.events && events.starts(with: kept.prefix(end.events))
      : events.count + missing == end.events
    if !isTrue {
      let what = "\(job): \(events.count) of \(end.events) events, \(missing) missing"
      breaks("A follower has all events, or knows how many it lacks", what, at: now)
    }
  }

  /// A follower that nothing kept from asking has what is in the journal of the gateway.
  mutating func followedToTheEnd(
    _ job: JobID, _ end: EndRecord, missing: Int, kept: [String], at now: Duration
  ) {
    guard missing > 0, kept.count >= end.events else { return }
    let what = "\(job): \(missing) of \(end.events) events missing"
    breaks("A follower has what the journal of the gateway has", what, at: now)
  }
}

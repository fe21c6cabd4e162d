// The state of everything the dashboard shows.
//
// A pure state machine: news and their times in, updates for pages out. It knows no browser, no journal
// and no device.

package import Bluetooth
import Jobs
import Journal
import RunEvents
import Signals

/// The state of the dashboard.
package struct DashboardModel: Sendable {
  /// The most series that are kept. Values of further ones are only counted.
  static let mostSeries = 200
  /// The most watches that are shown. A new one replaces the oldest that has ended.
  package static let mostWatches = 50
  /// The most marks that are kept.
  static let mostMarks = 500
  /// The time in milliseconds within which marks of one connection and kind are merged: watches of one
  /// device share its connection, and each reports its changes.
  private static let sameMoment = 1000
  /// The most runs that are shown.
  package static let mostRuns = 50
  /// The longest note, in characters.
  package static let longestNote = 200

  /// The identity of a series.
  private struct SeriesName: Hashable, Sendable {
    let device: String
    let attribute: String
    let field: String
  }

  private let facts: DashboardFacts
  private var scan = ScanState()
  private var isScanChanged = false
  private var journal = JournalState()
  private var isJournalChanged = false
  private var devices: NearbyDevices
  private var watches: [WatchCard] = []
  private var changedWatches: Set<Int> = []
  private var series: [SeriesHistory] = []
  private var seriesIndex: [SeriesName: Int] = [:]
  private var newSeries: Set<Int> = []
  private var changedSeries: Set<Int> = []
  private var marks = RecentValues<Mark>(limit: mostMarks)
  private var pendingMarks = RecentValues<Mark>(limit: mostMarks)
  private var runs: [RunKey: RunHistory] = [:]
  /// The ordinal of the last update.
  private var ordinal = 0

  /// Creates an empty dashboard.
  ///
  /// - Parameter names: The names of services.
  package init(_ facts: DashboardFacts, names: AttributeNames = .assigned) {
    self.facts = facts
    devices = NearbyDevices(names: names)
  }

  /// Applies news to the state.
  ///
  /// - Parameter time: The time of the news, since 1970-01-01T00:00:00Z.
  package mutating func apply(_ news: DashboardNews, at time: Duration) {
    let at = time.milliseconds
    switch news {
    case .scanning(let failure):
      isScanChanged = isScanChanged || failure != scan.failure
      scan.failure = failure
    case .reading(let failure):
      isJournalChanged = isJournalChanged || failure != journal.failure
      journal.failure = failure
    case .seen(let advertisement): devices.add(advertisement, at: at)
    case .watchBegan(let id, let plan): begin(WatchCard(id: id, plan: plan))
    case .watchOutput(let id, let output): apply(output, of: id, at: at)
    case .watchEnded(let id, let failure): end(id, failure, at: at)
    case .history(let device, let attribute, let minutes):
      apply(minutes, device: device, attribute: attribute)
    case .note(let text): mark(WatchMark(.note, String(text.prefix(Self.longestNote))), nil, at: at)
    case .chainBegan(let key, let chain, let device):
      begin(RunHistory(RunCard(key, chain: chain, device: device, at: time)))
    case .chain(let key, let event): apply(event, of: key)
    case .batchBegan(let key, let batch):
      begin(RunHistory(RunCard(key, batch: batch, at: time)))
    case .batch(let key, let event): runs[key]?.apply(event)
    case .batchChain(let key, let event): runs[key]?.apply(event)
    case .chainFailed(let key, let failure):
      changeRun(key) { $0.end("failed", why: failure.description, at: time) }
    case .runs(let followed): for run in followed { apply(run) }
    }
  }

  // MARK: Watches

  /// Returns the watch with a number; nil if there is none.
  package func watch(_ id: Int) -> WatchCard? { watches.first { $0.id == id } }

  /// The number of running watches.
  package var watchesUnderWay: Int { watches.count { $0.isUnderWay } }

  private mutating func begin(_ watch: WatchCard) {
    if watches.count >= Self.mostWatches,
      let ended = watches.firstIndex(where: { !$0.isUnderWay })
    {
      watches.remove(at: ended)
    }
    watches.append(watch)
    changedWatches.insert(watch.id)
  }

  private mutating func change(_ id: Int, _ body: (inout WatchCard) -> Void) {
    guard let index = watches.firstIndex(where: { $0.id == id }) else { return }
    body(&watches[index])
    changedWatches.insert(id)
  }

  private mutating func end(_ id: Int, _ failure: RunFailure?, at: Int) {
    guard let watch = watch(id) else { return }
    change(id) { watch in
      watch.state = failure == nil ? .ended : .failed
      watch.text = failure?.description ?? ""
    }
    for series in watch.plan.series {
      let device = watch.plan.devices[series.device].target.text
      breakSeries(of: device, series.reported.attribute ?? series.reported.operation, at: at)
    }
  }

  private mutating func apply(_ output: WatchOutput, of id: Int, at: Int) {
    if let event = output.printed { apply(event, of: id) }
    guard let change = output.link, let index = output.device, let watch = watch(id) else { return }
    let device = watch.plan.devices[index].target.text
    switch change {
    case .connected, .reconnected: mark(WatchMark(change), device, at: at)
    case .failed: break
    case .lost:
      mark(WatchMark(change), device, at: at)
      breakSeries(of: device, nil, at: at)
    }
    self.change(id) { $0.apply(change, of: index) }
  }

  private mutating func apply(_ event: RunEvent, of id: Int) {
    let at = event.wallClock.milliseconds
    switch event.change {
    case .data(let step, .value(let value)):
      change(id) { $0.add(value, of: step.attribute ?? step.operation) }
      for number in value.numbers {
        let name = SeriesName(
          device: event.device, attribute: step.attribute ?? step.operation, field: number.field
        )
        guard let index = index(of: name, unit: number.unit, decimals: number.decimals) else {
          continue
        }
        series[index].add(number.value, at: at)
        changedSeries.insert(index)
      }
    case .data(let step, .gap(let gap)):
      breakSeries(of: event.device, step.attribute, at: at)
      if let gap = WatchMark(gap, of: step.attribute ?? "") { mark(gap, event.device, at: at) }
    case .data(_, .advertisement), .run, .step, .remark: break
    }
  }

  // MARK: Series

  /// Returns the index of a series, which is added if it is new; nil if there are too many.
  private mutating func index(of name: SeriesName, unit: String?, decimals: Int) -> Int? {
    if let index = seriesIndex[name] {
      if series[index].card.update(unit: unit, decimals: decimals) { newSeries.insert(index) }
      return index
    }
    guard series.count < Self.mostSeries else { return nil }
    let index = series.count
    series.append(
      SeriesHistory(
        SeriesCard(
          id: index, device: name.device, attribute: name.attribute, field: name.field, unit: unit,
          decimals: decimals
        )
      )
    )
    seriesIndex[name] = index
    newSeries.insert(index)
    return index
  }

  /// Adds a gap to the series of a device: to those of one characteristic, or to all if it is nil.
  private mutating func breakSeries(of device: String, _ attribute: String?, at: Int) {
    for index in series.indices
    where series[index].card.device == device
      && (attribute == nil || series[index].card.attribute == attribute)
    {
      series[index].beginGap(at: at)
      changedSeries.insert(index)
    }
  }

  private mutating func apply(_ minutes: [String: [Minute]], device: String, attribute: String) {
    for (field, own) in minutes.sorted(by: { $0.key < $1.key }) {
      let name = SeriesName(device: device, attribute: attribute, field: field)
      // The minutes of a journal have no units; the first value of the watch has it.
      let decimals = own.map(\.decimals).max() ?? 0
      guard let index = index(of: name, unit: nil, decimals: decimals) else { continue }
      series[index].fill(with: own)
      changedSeries.insert(index)
    }
  }

  /// Adds a mark, unless it is a duplicate about a connection; see ``sameMoment``.
  private mutating func mark(_ new: WatchMark, _ device: String?, at: Int) {
    let isOfConnection =
      switch new.kind {
      case .connected, .disconnected, .reconnected, .fault: true
      case .gap, .note: false
      }
    let isKnown = marks.values.contains { known in
      known.mark.kind == new.kind && known.device == device && at - known.at < Self.sameMoment
    }
    guard !isOfConnection || !isKnown else { return }
    let mark = Mark(mark: new, at: at, device: device)
    marks.append(mark)
    pendingMarks.append(mark)
  }

  // MARK: Runs

  private mutating func begin(_ run: RunHistory) {
    runs[run.card.key] = run
    guard runs.count > Self.mostRuns else { return }
    // Remove the oldest run that has ended.
    let ended = runs.values.filter { $0.card.status != "under way" }
    let oldest = ended.min {
      ($0.card.started, "\($0.card.key)") < ($1.card.started, "\($1.card.key)")
    }
    if let oldest { runs[oldest.card.key] = nil }
  }

  private mutating func changeRun(_ key: RunKey, _ body: (inout RunCard) -> Void) {
    guard var run = runs[key] else { return }
    body(&run.card)
    run.isChanged = true
    runs[key] = run
  }

  private mutating func apply(_ event: RunEvent, of key: RunKey) {
    switch event.change {
    case .run(.started(let start)): runs[key]?.begin(steps: start.steps)
    case .step(.started(let step)): runs[key]?.apply(StepLine(step, of: event))
    case .step(.finished(let result)):
      runs[key]?.apply(StepLine(result, of: event))
      runs[key]?.end(result, attempt: event.attempt)
    case .run(.finished(let ending)):
      changeRun(key) {
        $0.end(ending.status.rawValue, why: ending.failure?.description, at: event.wallClock)
      }
    case .run(.groupStarted), .run(.groupFinished), .data, .remark: break
    }
  }

  /// Applies a run as the journal has it. Runs of this process are ignored: their events arrive sooner.
  private mutating func apply(_ followed: FollowedRun) {
    let card = RunCard(followed)
    if let known = runs[card.key] {
      guard !known.card.isOwn else { return }
      if known.card != card { changeRun(card.key) { $0 = card } }
    } else {
      begin(RunHistory(card))
    }
    for step in followed.steps { runs[card.key]?.apply(StepLine(step)) }
  }

  // MARK: Pages

  /// Removes and returns the changes that have not been sent yet; nil if there are none.
  package mutating func flush() -> DashboardUpdate? {
    var changes: [DashboardChange] = isScanChanged ? [.scan(scan)] : []
    if isJournalChanged { changes.append(.journal(journal)) }
    changes += devices.flush()
    changes += watches.filter { changedWatches.contains($0.id) }.map { .watch($0) }
    changes += newSeries.sorted().map { .series(series[$0].card) }
    changes += changedSeries.sorted().flatMap { series[$0].flush() }
    changes += pendingMarks.values.map { .mark($0) }
    for key in orderedRuns { changes += runs[key]?.flush() ?? [] }
    (isScanChanged, isJournalChanged) = (false, false)
    (changedWatches, newSeries, changedSeries, pendingMarks) = (
      [], [], [], RecentValues(limit: Self.mostMarks)
    )
    guard !changes.isEmpty else { return nil }
    ordinal += 1
    return DashboardUpdate(ordinal: ordinal, changes: changes)
  }

  /// The full state for a new page. Call ``flush()`` first: the ordinal is that of the last update.
  package var snapshot: DashboardUpdate {
    DashboardUpdate(
      ordinal: ordinal,
      changes: [.facts(facts), .scan(scan), .journal(journal)] + devices.snapshot
        + watches.map { .watch($0) } + series.flatMap(\.snapshot) + marks.values.map { .mark($0) }
        + orderedRuns.flatMap { runs[$0]?.snapshot ?? [] }
    )
  }

  private var orderedRuns: [RunKey] {
    runs.values.sorted {
      ($0.card.started, "\($0.card.key)") < ($1.card.started, "\($1.card.key)")
    }.map(\.card.key)
  }
}

// The values of one plotted field: the latest one by one, a day by its minutes.
//
// Pure, in flat memory: times are passed in.

package import Documents
import Jobs
package import Journal

/// A value at a time; nil where values are missing from there on.
package struct Point: Equatable, JSONWritable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  package let at: Int
  package let value: Double?

  package var json: JSONValue { .array([at.json, value.json]) }
}

/// The values of a minute put together.
package struct Minute: Equatable, JSONWritable {
  /// When it begins, in milliseconds since 1970-01-01T00:00:00Z.
  package let at: Int
  package private(set) var minimum: Double
  package private(set) var maximum: Double
  package private(set) var total: Double
  package private(set) var count: Int

  static let length = 60_000

  /// - Parameter at: When it begins, in milliseconds since 1970-01-01T00:00:00Z.
  package init(at: Int, minimum: Double, maximum: Double, mean: Double, count: Int) {
    self.at = at
    self.minimum = minimum
    self.maximum = maximum
    total = mean * Double(count)
    self.count = count
  }

  /// A minute of a journal.
  package init(_ bucket: ValueBucket) {
    self.init(
      at: bucket.start.milliseconds, minimum: bucket.minimum, maximum: bucket.maximum,
      mean: bucket.mean, count: bucket.count
    )
  }

  /// The decimals of its smallest and its largest value, as they were written.
  var decimals: Int {
    [minimum, maximum].map { value in
      // A whole number, or one so large or small that it has an exponent, needs none.
      let digits = "\(value)".split(separator: ".").dropFirst().first ?? "0"
      return digits == "0" || digits.contains("e") ? 0 : min(6, digits.count)
    }.max() ?? 0
  }

  mutating func add(_ value: Double) {
    minimum = min(minimum, value)
    maximum = max(maximum, value)
    total += value
    count += 1
  }

  /// Time, minimum, maximum, mean, count.
  package var json: JSONValue {
    .array([at.json, minimum.json, maximum.json, (total / Double(count)).json, count.json])
  }
}

/// What a series is called.
package struct SeriesCard: Equatable, Sendable {
  package let id: Int
  package let device: String
  package let attribute: String
  package let field: String
  package private(set) var unit: String?
  package private(set) var decimals: Int

  init(id: Int, device: String, attribute: String, field: String, unit: String?, decimals: Int) {
    self.id = id
    self.device = device
    self.attribute = attribute
    self.field = field
    self.unit = unit
    self.decimals = decimals
  }

  /// Takes up what a further value shows of all.
  ///
  /// - Returns: Whether that is new.
  mutating func learn(unit: String?, decimals: Int) -> Bool {
    let before = self
    self.unit = self.unit ?? unit
    self.decimals = max(self.decimals, decimals)
    return self != before
  }

  var members: DashboardChange.Members {
    [
      "id": id, "device": device, "attribute": attribute, "field": field, "unit": unit,
      "decimals": decimals,
    ]
  }
}

/// A list of points with a bound: where there are too many, the older half is thinned, keeping the
/// smallest and the largest of each four.
struct BoundedPoints: Sendable {
  private(set) var points: [Point] = []
  let limit: Int
  /// How long points are kept, in milliseconds.
  let span: Int

  init(limit: Int, span: Int) {
    self.limit = limit
    self.span = span
  }

  mutating func add(_ point: Point) {
    points.append(point)
    guard points.count > limit else { return }
    points.removeSubrange(..<(points.firstIndex { $0.at > point.at - span } ?? 0))
    guard points.count > limit / 2 else { return }
    points = Self.thinned(points[..<(limit / 2)]) + points[(limit / 2)...]
  }

  /// Everything kept, which is forgotten.
  mutating func takeAll() -> [Point] {
    defer { points = [] }
    return points
  }

  /// Two points for each four. A place where values are missing stays.
  static func thinned(_ points: some RandomAccessCollection<Point>) -> [Point] {
    var kept: [Point] = []
    var group: [Point] = []
    func close() {
      let order = { (a: Point, b: Point) in (a.value ?? 0) < (b.value ?? 0) }
      guard let low = group.min(by: order), let high = group.max(by: order) else { return }
      kept += low == high ? [low] : low.at <= high.at ? [low, high] : [high, low]
      group = []
    }
    for point in points {
      if point.value == nil {
        close()
        if kept.last?.value != nil { kept.append(point) }
      } else {
        group.append(point)
        if group.count == 4 { close() }
      }
    }
    close()
    return kept
  }
}

/// A series with its values.
struct SeriesHistory: Sendable {
  /// How long single values are kept, in milliseconds.
  static let span = 15 * 60_000
  /// How many single values are kept.
  static let mostPoints = 4_000
  /// How many values one update has.
  static let mostPending = 400
  /// How many minutes are kept: a day.
  static let mostMinutes = 24 * 60

  var card: SeriesCard
  private(set) var points = BoundedPoints(limit: Self.mostPoints, span: Self.span)
  private(set) var minutes: [Minute] = []
  private var pending = BoundedPoints(limit: Self.mostPending, span: Self.span)
  /// From which minute on a page has to learn.
  private var pendingMinute: Int?

  init(_ card: SeriesCard) { self.card = card }

  mutating func add(_ value: Double, at: Int) {
    let point = Point(at: at, value: value)
    points.add(point)
    pending.add(point)
    let minute = at - at % Minute.length
    let before = minutes.lastIndex { $0.at <= minute }
    if let before, minutes[before].at == minute {
      minutes[before].add(value)
    } else {
      let first = Minute(at: minute, minimum: value, maximum: value, mean: value, count: 1)
      minutes.insert(first, at: before.map { $0 + 1 } ?? 0)
      if minutes.count > Self.mostMinutes { minutes.removeFirst() }
    }
    pendingMinute = min(pendingMinute ?? minute, minute)
  }

  /// Values are missing from here on.
  mutating func breaks(at: Int) {
    guard let last = points.points.last, last.value != nil else { return }
    let point = Point(at: max(at, last.at), value: nil)
    points.add(point)
    pending.add(point)
  }

  /// Takes in what a journal has of the minutes that were not seen here.
  mutating func fill(with recorded: [Minute]) {
    let seen = Set(minutes.map(\.at))
    let missing = recorded.filter { !seen.contains($0.at) }
    guard !missing.isEmpty else { return }
    minutes = (missing + minutes).sorted { $0.at < $1.at }.suffix(Self.mostMinutes)
    pendingMinute = minutes.first?.at
  }

  /// What a page has not been sent yet.
  mutating func flush() -> [DashboardChange] {
    var changes: [DashboardChange] = []
    let points = pending.takeAll()
    if !points.isEmpty { changes.append(.points(series: card.id, points)) }
    if let from = pendingMinute {
      let first = minutes.lastIndex { $0.at < from }.map { $0 + 1 } ?? 0
      changes.append(.minutes(series: card.id, Array(minutes[first...])))
      pendingMinute = nil
    }
    return changes
  }

  /// All that a new page has to learn.
  var snapshot: [DashboardChange] {
    [
      .series(card), .points(series: card.id, points.points),
      .minutes(series: card.id, minutes),
    ]
  }
}

// The values of one plotted field: single values of the last minutes, and one day as minutes.
//
// Pure values with bounded memory; times are passed in.

package import Documents
package import Journal
import RunEvents

/// A value at a time; a nil value marks the beginning of a gap.
package struct Point: Equatable, JSONWritable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  package let at: Int
  package let value: Double?

  package var json: JSONValue { .array([at.json, value.json]) }
}

/// The combined values of one minute.
package struct Minute: Equatable, JSONWritable {
  /// The beginning, in milliseconds since 1970-01-01T00:00:00Z.
  package let at: Int
  package private(set) var minimum: Double
  package private(set) var maximum: Double
  package private(set) var total: Double
  package private(set) var count: Int

  static let length = 60_000

  /// - Parameter at: The beginning, in milliseconds since 1970-01-01T00:00:00Z.
  package init(at: Int, minimum: Double, maximum: Double, mean: Double, count: Int) {
    self.at = at
    self.minimum = minimum
    self.maximum = maximum
    total = mean * Double(count)
    self.count = count
  }

  /// Creates a minute from a journal's.
  package init(_ bucket: ValueBucket) {
    self.init(
      at: bucket.start.milliseconds, minimum: bucket.minimum, maximum: bucket.maximum,
      mean: bucket.mean, count: bucket.count
    )
  }

  /// The number of decimals needed to write the minimum and the maximum.
  var decimals: Int {
    [minimum, maximum].map { value in
      // Zero for a whole number, and for one with an exponent.
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

  /// An array of time, minimum, maximum, mean and count.
  package var json: JSONValue {
    .array([at.json, minimum.json, maximum.json, (total / Double(count)).json, count.json])
  }
}

/// The description of a series.
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

  /// Updates the unit and the decimals from a further value.
  ///
  /// - Returns: Whether they changed.
  mutating func update(unit: String?, decimals: Int) -> Bool {
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

/// A bounded list of points. When it is full, the older half is thinned to the smallest and the largest of
/// every four points.
struct BoundedPoints: Sendable {
  private(set) var points: [Point] = []
  let limit: Int
  /// The time for which points are kept, in milliseconds.
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

  /// Removes and returns all points.
  mutating func removeAll() -> [Point] {
    defer { points = [] }
    return points
  }

  /// Returns the smallest and the largest of every four points. Gaps are kept.
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
  /// The time for which single values are kept, in milliseconds.
  static let span = 15 * 60_000
  /// The most single values that are kept.
  static let mostPoints = 4_000
  /// The most values in one update.
  static let mostPending = 400
  /// The most minutes that are kept: a day.
  static let mostMinutes = 24 * 60

  var card: SeriesCard
  private(set) var points = BoundedPoints(limit: Self.mostPoints, span: Self.span)
  private(set) var minutes: [Minute] = []
  private var pending = BoundedPoints(limit: Self.mostPending, span: Self.span)
  /// The first minute that has not been sent to pages.
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

  /// Begins a gap.
  mutating func beginGap(at: Int) {
    guard let last = points.points.last, last.value != nil else { return }
    let point = Point(at: max(at, last.at), value: nil)
    points.add(point)
    pending.add(point)
  }

  /// Adds the minutes of a journal that this process has no values of.
  mutating func fill(with recorded: [Minute]) {
    let seen = Set(minutes.map(\.at))
    let missing = recorded.filter { !seen.contains($0.at) }
    guard !missing.isEmpty else { return }
    minutes = (missing + minutes).sorted { $0.at < $1.at }.suffix(Self.mostMinutes)
    pendingMinute = minutes.first?.at
  }

  /// Removes and returns the changes that have not been sent yet.
  mutating func flush() -> [DashboardChange] {
    var changes: [DashboardChange] = []
    let points = pending.removeAll()
    if !points.isEmpty { changes.append(.points(series: card.id, points)) }
    if let from = pendingMinute {
      let first = minutes.lastIndex { $0.at < from }.map { $0 + 1 } ?? 0
      changes.append(.minutes(series: card.id, Array(minutes[first...])))
      pendingMinute = nil
    }
    return changes
  }

  /// The full state for a new page.
  var snapshot: [DashboardChange] {
    [
      .series(card), .points(series: card.id, points.points),
      .minutes(series: card.id, minutes),
    ]
  }
}

// The values of one plotted field, in flat memory.
//
// Pure: times are passed in.

/// What is kept of the values of a short time.
struct PlotBucket: Equatable, Sendable {
  private(set) var minimum: Double
  private(set) var maximum: Double
  private(set) var first: Double
  private(set) var last: Double
  /// Whether values are missing before it: it is not connected with the bucket before.
  let followsGap: Bool

  init(_ value: Double, followsGap: Bool) {
    (minimum, maximum, first, last) = (value, value, value, value)
    self.followsGap = followsGap
  }

  /// A later value.
  mutating func add(_ value: Double) {
    minimum = min(minimum, value)
    maximum = max(maximum, value)
    last = value
  }

  /// A later bucket.
  mutating func add(_ other: PlotBucket) {
    minimum = min(minimum, other.minimum)
    maximum = max(maximum, other.maximum)
    last = other.last
  }
}

/// A series: buckets of equal length, at most ``capacity`` of them.
///
/// With a span the oldest bucket is dropped for a new one. Without one, two neighbours become one as
/// soon as all are in use, so that hours have the same number as minutes. Times are in microseconds
/// since the start of the plot.
struct PlotSeries: Sendable {
  static let capacity = 1024
  /// The length of the first buckets without a span.
  private static let firstLength = 10_000

  let name: String
  let unit: String?
  private let slides: Bool
  /// The length of a bucket, in microseconds.
  private(set) var length: Int
  /// The ordinal of the first bucket on the grid of this length.
  private var base = 0
  private var buckets: [PlotBucket?] = []
  private var followsGap = false

  private(set) var minimum = Double.infinity
  private(set) var maximum = -Double.infinity
  private(set) var last: Double?
  private(set) var count = 0
  /// The decimals that values are printed with.
  private(set) var decimals = 0

  /// The name, with its unit where that is not the name of its field.
  var title: String {
    guard let unit, !name.hasSuffix(" \(unit)") else { return name }
    return "\(name) (\(unit))"
  }

  /// - Parameter span: How much of the time is kept, in microseconds; nil for all.
  init(_ name: String, unit: String?, span: Int?) {
    self.name = name
    self.unit = unit
    slides = span != nil
    length = span.map { max(1, ($0 + Self.capacity - 2) / (Self.capacity - 1)) } ?? Self.firstLength
  }

  /// Values are missing from here on, until the next one.
  mutating func breaks() { followsGap = true }

  /// A value came. One that is older than everything kept counts at the oldest place.
  mutating func add(_ value: Double, decimals: Int, at time: Int) {
    self.decimals = max(self.decimals, decimals)
    minimum = min(minimum, value)
    maximum = max(maximum, value)
    last = value
    count += 1
    if buckets.isEmpty { base = time / length }
    makeRoom(for: time)
    let index = max(0, time / length - base)
    while buckets.count <= index { buckets.append(nil) }
    if buckets[index] == nil {
      buckets[index] = PlotBucket(value, followsGap: followsGap)
    } else {
      buckets[index]?.add(value)
    }
    followsGap = false
  }

  private mutating func makeRoom(for time: Int) {
    while time / length - base >= Self.capacity {
      guard slides else {
        halve()
        continue
      }
      let surplus = time / length - base - Self.capacity + 1
      buckets.removeFirst(min(surplus, buckets.count))
      base += surplus
    }
  }

  /// Two neighbours become one.
  private mutating func halve() {
    let start = base / 2
    var halves: [PlotBucket?] = []
    for (offset, bucket) in buckets.enumerated() {
      let index = (base + offset) / 2 - start
      while halves.count <= index { halves.append(nil) }
      guard let bucket else { continue }
      if halves[index] == nil { halves[index] = bucket } else { halves[index]?.add(bucket) }
    }
    (buckets, base, length) = (halves, start, length * 2)
  }

  /// The buckets of a time, put together into columns of equal length.
  func columns(_ count: Int, in time: Range<Int>) -> [PlotBucket?] {
    var columns = [PlotBucket?](repeating: nil, count: count)
    guard count > 0, !time.isEmpty else { return columns }
    for (offset, bucket) in buckets.enumerated() {
      let middle = (base + offset) * length + length / 2
      guard let bucket, time.contains(middle) else { continue }
      let column = (middle - time.lowerBound) * count / time.count
      if columns[column] == nil { columns[column] = bucket } else { columns[column]?.add(bucket) }
    }
    return columns
  }
}

// Many values over time in bounded memory: what a plot of them needs.
//
// It draws nothing: a page connects its points, a terminal its columns.

/// Values over time, of which each bucket of time keeps the lowest and the highest.
///
/// The buckets begin with the first value and are equally long. They hold one value each until
/// there are more than ``limit``; then they become twice as long, as often as it takes. A plot that
/// is at most ``limit`` pixels wide therefore loses no peak, however many values there are.
///
/// Adding a value takes constant time on average.
package struct Envelope: Equatable, Sendable {
  /// One value.
  package struct Point: Equatable, Sendable {
    let at: Duration
    package let value: Double
  }

  /// The values of a period of time.
  package struct Bucket: Equatable, Sendable {
    /// How many bucket lengths after the first value it begins.
    fileprivate(set) var index: Int64
    package fileprivate(set) var lowest: Point
    package fileprivate(set) var highest: Point
    package let first: Double
    package fileprivate(set) var last: Double
    fileprivate(set) var count = 1
    /// Whether values are missing before it.
    package let followsGap: Bool

    fileprivate init(_ point: Point, index: Int64, followsGap: Bool) {
      self.index = index
      (lowest, highest, first, last) = (point, point, point.value, point.value)
      self.followsGap = followsGap
    }

    /// Both, in the order of their times; one where they are the same.
    var points: [Point] {
      guard lowest != highest else { return [lowest] }
      return lowest.at <= highest.at ? [lowest, highest] : [highest, lowest]
    }

    /// Adds those of the next bucket.
    fileprivate mutating func add(_ next: Bucket) {
      if next.lowest.value < lowest.value { lowest = next.lowest }
      if next.highest.value > highest.value { highest = next.highest }
      last = next.last
      count += next.count
    }
  }

  /// The maximum number of buckets.
  package static let limit = 2_048

  private(set) var buckets: [Bucket] = []
  /// How long a bucket is, in microseconds.
  private(set) var microseconds: Int64 = 1
  /// The lowest and the highest value of all, also of those that are not kept; nil without any.
  package private(set) var range: ClosedRange<Double>?
  private(set) var count = 0
  private var origin = Duration.zero
  private let slides: Bool
  private var followsGap = false

  /// No values.
  ///
  /// - Parameter span: How much of the time is kept, up to the last value; nil for all.
  package init(span: Duration? = nil) {
    slides = span != nil
    if let span { microseconds = max(1, span.wholeMicroseconds / Int64(Self.limit - 1) + 1) }
  }

  /// The last value; nil without any.
  package var last: Double? { buckets.last?.last }

  /// The points of a plot: at most two for each bucket, in the order of their times.
  var points: [Point] { buckets.flatMap(\.points) }

  /// Values are missing from here on, until the next one.
  package mutating func breaks() { followsGap = true }

  /// Adds a value; one that is not finite has no place in a plot, and is ignored.
  ///
  /// - Parameter at: When it arrived; a value from before the last bucket counts to that.
  package mutating func add(_ value: Double, at time: Duration) {
    guard value.isFinite else { return }
    if buckets.isEmpty { origin = time }
    let index = max((time - origin).wholeMicroseconds / microseconds, buckets.last?.index ?? 0)
    range = min(value, range?.lowerBound ?? value)...max(value, range?.upperBound ?? value)
    count += 1
    append(Bucket(Point(at: time, value: value), index: index, followsGap: followsGap))
    followsGap = false
    if slides, let old = buckets.firstIndex(where: { $0.index > index - Int64(Self.limit) }) {
      buckets.removeFirst(old)
    }
    while buckets.count > Self.limit { widen() }
  }

  private mutating func append(_ bucket: Bucket) {
    if bucket.index == buckets.last?.index {
      buckets[buckets.count - 1].add(bucket)
    } else {
      buckets.append(bucket)
    }
  }

  private mutating func widen() {
    let narrow = buckets
    microseconds *= 2
    buckets.removeAll(keepingCapacity: true)
    for var bucket in narrow {
      bucket.index /= 2
      append(bucket)
    }
  }

  /// The values of a time, put together into columns of equal length.
  ///
  /// - Parameter time: In microseconds.
  package func columns(_ count: Int, in time: Range<Int>) -> [Bucket?] {
    var columns = [Bucket?](repeating: nil, count: count)
    guard count > 0, !time.isEmpty else { return columns }
    let start = origin.wholeMicroseconds + microseconds / 2
    for bucket in buckets {
      let middle = Int(start + bucket.index * microseconds)
      guard time.contains(middle) else { continue }
      let column = (middle - time.lowerBound) * count / time.count
      if columns[column] == nil { columns[column] = bucket } else { columns[column]?.add(bucket) }
    }
    return columns
  }
}

/// A number within values, over time.
package struct NumberSeries: Equatable, Sendable {
  /// The field, `cadence.rpm` inside another, and what else it is called by.
  package let name: String
  package let unit: String?
  /// The decimals that its values are printed with.
  package private(set) var decimals = 0
  package var envelope: Envelope

  /// - Parameter span: How much of the time is kept; nil for all.
  package init(_ name: String, unit: String?, span: Duration? = nil) {
    self.name = name
    self.unit = unit
    envelope = Envelope(span: span)
  }

  /// Adds a number.
  package mutating func add(_ number: MeasuredNumber, at time: Duration) {
    decimals = max(decimals, number.decimals)
    envelope.add(number.value, at: time)
  }
}

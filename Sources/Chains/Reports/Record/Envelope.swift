// Values over time in bounded memory, for plots.
//
// It draws nothing: a page connects its points, a terminal its columns.

package import RunEvents

/// Values over time, reduced to the lowest and the highest in each bucket of time.
///
/// The buckets begin with the first value and are equally long. They hold one value each until
/// there are more than ``limit``; then they double in length, as often as necessary. A plot up to
/// ``limit`` pixels wide therefore loses no peak, regardless of the number of values.
///
/// Adding a value takes constant time on average.
package struct Envelope: Equatable, Sendable {
  package struct Point: Equatable, Sendable {
    let at: Duration
    package let value: Double
  }

  /// The values of a period of time.
  package struct Bucket: Equatable, Sendable {
    /// The start, in bucket lengths after the first value.
    fileprivate(set) var index: Int64
    package fileprivate(set) var lowest: Point
    package fileprivate(set) var highest: Point
    package let first: Double
    package fileprivate(set) var last: Double
    fileprivate(set) var count = 1
    /// Whether values are missing before the bucket.
    package let followsGap: Bool

    fileprivate init(_ point: Point, index: Int64, followsGap: Bool) {
      self.index = index
      (lowest, highest, first, last) = (point, point, point.value, point.value)
      self.followsGap = followsGap
    }

    /// The lowest and the highest value in the order of their times; one point if they are the
    /// same.
    var points: [Point] {
      guard lowest != highest else { return [lowest] }
      return lowest.at <= highest.at ? [lowest, highest] : [highest, lowest]
    }

    /// Adds the values of the next bucket.
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
  /// The length of a bucket, in microseconds.
  private(set) var microseconds: Int64 = 1
  /// The lowest and the highest value ever added, kept or not; nil if there is none.
  package private(set) var range: ClosedRange<Double>?
  private(set) var count = 0
  private var origin = Duration.zero
  private let slides: Bool
  private var followsGap = false

  /// Creates an empty envelope.
  ///
  /// - Parameter span: The time to keep, up to the last value; nil for all.
  package init(span: Duration? = nil) {
    slides = span != nil
    if let span { microseconds = max(1, span.wholeMicroseconds / Int64(Self.limit - 1) + 1) }
  }

  /// The last value; nil if there is none.
  package var last: Double? { buckets.last?.last }

  /// The points of a plot: at most two for each bucket, in the order of their times.
  var points: [Point] { buckets.flatMap(\.points) }

  /// Records that values are missing before the next one.
  package mutating func breaks() { followsGap = true }

  /// Adds a value; one that is not finite is ignored.
  ///
  /// - Parameter at: The arrival time; a value from before the last bucket is added to that bucket.
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

  /// Combines the values of a time range into columns of equal length.
  ///
  /// - Parameter time: The range, in microseconds.
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
  /// The name: a field, `cadence.rpm` if nested, with the device and characteristic if necessary.
  package let name: String
  package let unit: String?
  /// The number of decimals to print.
  package private(set) var decimals = 0
  package var envelope: Envelope

  /// - Parameter span: The time to keep; nil for all.
  package init(_ name: String, unit: String?, span: Duration? = nil) {
    self.name = name
    self.unit = unit
    envelope = Envelope(span: span)
  }

  package mutating func add(_ number: MeasuredNumber, at time: Duration) {
    decimals = max(decimals, number.decimals)
    envelope.add(number.value, at: time)
  }
}

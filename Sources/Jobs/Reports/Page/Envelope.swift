// Many values over time in bounded memory: what a plot of them needs.
//
// It draws nothing, and knows neither pages nor units.

/// Values over time, of which each bucket of time keeps the lowest and the highest.
///
/// The buckets begin with the first value and are equally long. They hold one value each until
/// there are more than ``limit``; then they become twice as long, as often as it takes. A plot that
/// is at most ``limit`` pixels wide therefore loses no peak, however many values there are.
///
/// Adding a value takes constant time on average.
struct Envelope: Equatable, Sendable {
  /// One value.
  struct Point: Equatable, Sendable {
    let at: Duration
    let value: Double
  }

  /// The values of a period of time.
  struct Bucket: Equatable, Sendable {
    /// How many bucket lengths after the first value it begins.
    fileprivate(set) var index: Int64
    fileprivate(set) var lowest: Point
    fileprivate(set) var highest: Point
    fileprivate(set) var count: Int

    /// Both, in the order of their times; one where they are the same.
    var points: [Point] {
      guard lowest != highest else { return [lowest] }
      return lowest.at <= highest.at ? [lowest, highest] : [highest, lowest]
    }

    fileprivate mutating func add(_ other: Bucket) {
      if other.lowest.value < lowest.value { lowest = other.lowest }
      if other.highest.value > highest.value { highest = other.highest }
      count += other.count
    }
  }

  /// The maximum number of buckets.
  static let limit = 2_048

  /// The buckets with values, in order.
  private(set) var buckets: [Bucket] = []
  /// How long a bucket is, in microseconds: a power of two.
  private(set) var microseconds: Int64 = 1
  private var origin = Duration.zero

  /// No values.
  init() {}

  /// How many values there were.
  var count: Int { buckets.reduce(0) { $0 + $1.count } }

  /// The lowest and the highest value; nil without any.
  var range: ClosedRange<Double>? {
    guard let low = buckets.map(\.lowest.value).min(),
      let high = buckets.map(\.highest.value).max()
    else { return nil }
    return low...high
  }

  /// What a plot connects: at most two points for each bucket, in the order of their times.
  var points: [Point] { buckets.flatMap(\.points) }

  /// Adds a value; one that is not finite has no place in a plot, and is ignored.
  ///
  /// - Parameter at: When it arrived; a value from before the last bucket counts to that.
  mutating func add(_ value: Double, at time: Duration) {
    guard value.isFinite else { return }
    if buckets.isEmpty { origin = time }
    let point = Point(at: time, value: value)
    let index = max((time - origin).wholeMicroseconds / microseconds, buckets.last?.index ?? 0)
    append(Bucket(index: index, lowest: point, highest: point, count: 1))
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
}

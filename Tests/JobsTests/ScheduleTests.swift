// Times in five fields, intervals, delays.

import Signals
import Testing

@testable import Jobs

@Suite("Schedules")
struct ScheduleTests {
  /// 2000-01-01T00:00:00Z, a Saturday.
  static let start = Duration.seconds(946_684_800)

  private func times(_ rule: String, _ count: Int, after: Duration = start) throws -> [String] {
    let rule = try CronRule(rule)
    var times: [String] = []
    var time = after
    for _ in 0..<count {
      time = try #require(rule.next(after: time))
      times.append(String(Timestamp.text(time).prefix(16)))
    }
    return times
  }

  @Test(
    "five fields",
    arguments: [
      ("* * * * *", ["2000-01-01T00:01", "2000-01-01T00:02"]),
      ("*/20 * * * *", ["2000-01-01T00:20", "2000-01-01T00:40", "2000-01-01T01:00"]),
      ("5,50 6-7 * * *", ["2000-01-01T06:05", "2000-01-01T06:50", "2000-01-01T07:05"]),
      ("0 3 * * mon-fri", ["2000-01-03T03:00", "2000-01-04T03:00"]),
      ("0 3 * * 7", ["2000-01-02T03:00", "2000-01-09T03:00"]),
      ("0 0 29 feb *", ["2000-02-29T00:00", "2004-02-29T00:00"]),
      ("30 12 31 * *", ["2000-01-31T12:30", "2000-03-31T12:30"]),
      // Either day will do when both are given.
      ("0 0 10 * sun", ["2000-01-02T00:00", "2000-01-09T00:00", "2000-01-10T00:00"]),
      ("59 23 31 12 *", ["2000-12-31T23:59", "2001-12-31T23:59"]),
      ("10/25 0 * * *", ["2000-01-01T00:10", "2000-01-01T00:35", "2000-01-02T00:10"]),
    ]
  )
  func cron(rule: String, expected: [String]) throws {
    #expect(try times(rule, expected.count) == expected)
  }

  @Test("over a century that has no leap day")
  func century() throws {
    let late = Duration.seconds(4_000_000_000)  // 2096-10-02
    #expect(try times("0 0 29 2 *", 1, after: late) == ["2104-02-29T00:00"])
  }

  @Test(
    "what fits no time is refused",
    arguments: [
      "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
      "* * * * 8", "5-1 * * * *", "*/0 * * * *", "*/ * * * *", "1,,2 * * * *", "a * * * *",
      "0 0 30 2 *", "0 0 31 4,6 *", "-1 * * * *", "1-2-3 * * * *", "1/2/3 * * * *",
    ]
  )
  func refused(rule: String) {
    #expect(throws: CronProblem.self) { try CronRule(rule) }
  }

  @Test("an interval begins at once, and goes on from the times that were due")
  func every() {
    var times = ScheduleTimes(Schedule(.every(.seconds(60))), seed: 0)
    #expect(times.next(now: Self.start) == .init(time: Self.start, missed: 0))
    let second = times.next(now: Self.start + .seconds(10))
    #expect(second == .init(time: Self.start + .seconds(60), missed: 0))
    // It took until 3 minutes and a second.
    let late = times.next(now: Self.start + .seconds(181))
    #expect(late == .init(time: Self.start + .seconds(240), missed: 2))
    // The host slept for ten years.
    let awake = times.next(now: Self.start + .seconds(315_360_001))
    #expect(awake?.time == Self.start + .seconds(315_360_060))
    #expect(awake?.missed == 315_360_000 / 60 - 4)
  }

  @Test("delays are drawn from the seed, each from its number alone, within the jitter")
  func jitter() throws {
    let schedule = Schedule(.every(.seconds(60)), jitter: .seconds(20))
    func drawn(_ seed: UInt64) -> [Duration] {
      var times = ScheduleTimes(schedule, seed: seed)
      var now = Self.start
      return (0..<50).map { number in
        let next = times.next(now: now)
        now = next?.time ?? now
        return now - Self.start - .seconds(60 * number)
      }
    }
    let delays = drawn(1)
    #expect(delays.allSatisfy { $0 >= .zero && $0 <= .seconds(20) })
    #expect(Set(delays).count > 40)
    #expect(drawn(1) == delays)
    #expect(drawn(2) != delays)
  }

  @Test("times of the day do not begin at once, and are missed while a run goes on")
  func missed() throws {
    var times = ScheduleTimes(Schedule(.cron(try CronRule("*/10 * * * *"))), seed: 0)
    #expect(times.next(now: Self.start)?.time == Self.start + .seconds(600))
    let late = times.next(now: Self.start + .seconds(2000))
    #expect(late == .init(time: Self.start + .seconds(2400), missed: 2))
  }
}

// One of the five fields of a cron schedule.

/// The numbers that a field matches.
struct CronField: Hashable, Sendable {
  /// One bit for each number.
  private let numbers: UInt64
  /// Whether it begins with `*`: it matches all numbers, or every nth.
  let isOpen: Bool

  static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// Reads a field.
  ///
  /// - Parameters:
  ///   - title: The name of the field, for error messages.
  ///   - range: The range of its numbers; all below 64.
  ///   - names: Names of the numbers from `first` on.
  init(
    _ text: String,
    _ title: String,
    _ range: ClosedRange<Int>,
    names: [String] = [],
    first: Int = 0
  ) throws(CronProblem) {
    let expected = "a \(title) from \(range.lowerBound) to \(range.upperBound)"
    let problem = CronProblem(found: "'\(text)'", expected: expected)
    func number(_ text: Substring) throws(CronProblem) -> Int {
      if let index = names.firstIndex(of: text.lowercased()) { return first + index }
      guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text),
        range.contains(number)
      else { throw problem }
      return number
    }
    var bits: UInt64 = 0
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: "/", omittingEmptySubsequences: false)
      guard let head = pieces.first, pieces.count <= 2 else { throw problem }
      var step = 1
      if pieces.count == 2 {
        guard let every = Int(pieces[1]), (1...range.upperBound).contains(every) else {
          throw problem
        }
        step = every
      }
      let ends = head.split(separator: "-", omittingEmptySubsequences: false)
      var (low, high) = (range.lowerBound, range.upperBound)
      if head != "*" {
        guard (1...2).contains(ends.count) else { throw problem }
        low = try number(ends[0])
        // `5/10` is every tenth from 5 on.
        high = ends.count == 2 ? try number(ends[1]) : pieces.count == 2 ? high : low
      }
      guard low <= high else { throw problem }
      for value in stride(from: low, through: high, by: step) { bits |= 1 << UInt64(value) }
    }
    numbers = bits
    isOpen = text.hasPrefix("*")
  }

  func contains(_ number: Int64) -> Bool { numbers >> UInt64(number) & 1 == 1 }
}

// map, filter and collect over a million values, compared with a plain loop.

import Signals

struct OperatorStream {
  static let count = 1_000_000

  let nanosecondsPerValue: Double
  let ratio: Double

  var line: String {
    "map + filter + collect over \(Self.count) values: \(decimal(nanosecondsPerValue)) ns a value, "
      + "\(decimal(ratio)) x a plain loop"
  }

  static func measured() -> OperatorStream {
    var ours: [Double] = []
    var plain: [Double] = []
    for _ in 0..<9 {
      var start = nanoseconds()
      let collected = Signal<Int> { sink in
        for number in 0..<count { try await sink(number) }
      }.map { $0 &* 3 }.filter { $0 & 1 == 0 }.collect()
        .firstOrDefault([], within: .seconds(60)).value
      ours.append(nanoseconds() - start)
      start = nanoseconds()
      var values: [Int] = []
      for number in 0..<count {
        let product = number &* 3
        if product & 1 == 0 { values.append(product) }
      }
      plain.append(nanoseconds() - start)
      precondition(values == collected)
    }
    return OperatorStream(
      nanosecondsPerValue: median(ours) / Double(count), ratio: median(ours) / median(plain)
    )
  }
}

// How much the tests do of what they repeat: a sample, or all of it with BLERUN_TEST_ALL, as
// `make test-all` sets it.

import Foundation
package import Testing

/// Whether the tests do everything, also what takes long.
package let testsEverything =
  ProcessInfo.processInfo.environment["BLERUN_TEST_ALL"]
  .map { !$0.isEmpty } ?? false

/// All of `cases` where everything is tested; otherwise the first, the last, and each tenth.
package func sampled<Case>(_ cases: some Sequence<Case>) -> [Case] {
  let all = Array(cases)
  guard !testsEverything else { return all }
  return all.indices.filter { $0 % 10 == 0 || $0 == all.count - 1 }.map { all[$0] }
}

extension Trait where Self == ConditionTrait {
  /// The tests take long: they run only where everything is tested.
  package static var onlyInTestAll: Self {
    .enabled(if: testsEverything, "takes long: make test-all, or BLERUN_TEST_ALL=1")
  }
}

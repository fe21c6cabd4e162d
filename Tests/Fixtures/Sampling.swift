// The share of repeated cases that the tests run: a sample, or all of them with BLERUN_TEST_ALL,
// which `make test-all` sets.

import Foundation
package import Testing

/// Whether the tests run all cases, including slow ones.
package let testsEverything =
  ProcessInfo.processInfo.environment["BLERUN_TEST_ALL"]
  .map { !$0.isEmpty } ?? false

/// All of `cases` if everything is tested; otherwise the first, the last, and every tenth.
package func sampled<Case>(_ cases: some Sequence<Case>) -> [Case] {
  let all = Array(cases)
  guard !testsEverything else { return all }
  return all.indices.filter { $0 % 10 == 0 || $0 == all.count - 1 }.map { all[$0] }
}

extension Trait where Self == ConditionTrait {
  /// For slow tests: they run only if everything is tested.
  package static var onlyInTestAll: Self {
    .enabled(if: testsEverything, "takes long: make test-all, or BLERUN_TEST_ALL=1")
  }
}

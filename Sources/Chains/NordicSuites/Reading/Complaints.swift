// Collects what is wrong with a suite.

import Documents

/// Complaints without duplicates: a test that is run ten times is wrong in one place. All readers
/// of a document share them.
final class Complaints {
  private(set) var problems: [Problem] = []
  private var known: Set<Problem> = []
  /// Further complaints are dropped: nobody reads that many.
  private static let most = 200

  func add(_ problem: Problem, at place: Place, _ path: String) {
    guard problems.count < Self.most else { return }
    let problem = problem.at(place, path: path)
    if known.insert(problem).inserted { problems.append(problem) }
  }

  func add(_ place: Place, _ path: String, _ message: String, expected: String? = nil) {
    add(Problem(message, expected: expected), at: place, path)
  }
}

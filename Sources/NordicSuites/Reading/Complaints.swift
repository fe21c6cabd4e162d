// Collects what is wrong with a suite.

import Documents
import Spelling

/// Complaints without duplicates: a test that is run ten times is wrong in one place. All readers
/// of a document share them.
final class Complaints {
  private(set) var problems: [Problem] = []
  private var known: Set<Problem> = []
  /// Further complaints are dropped: nobody reads that many.
  private static let most = 200

  func add(
    _ place: Place,
    _ path: String,
    _ message: String,
    expected: String? = nil,
    nearest: String? = nil
  ) {
    guard problems.count < Self.most else { return }
    let problem = Problem(message, expected: expected, nearest: nearest, at: place, path: path)
    if known.insert(problem).inserted { problems.append(problem) }
  }

  /// An unknown name.
  ///
  /// - Parameter message: The name and its kind: `unknown attribute 'x'`.
  func addUnknown(
    _ place: Place,
    _ path: String,
    _ message: String,
    _ name: String,
    among candidates: [String]
  ) {
    let nearest = Spelling.nearest(to: name, among: candidates)
    let all = candidates.isEmpty ? "none" : "one of " + candidates.joined(separator: ", ")
    add(place, path, message, expected: nearest == nil ? all : nil, nearest: nearest)
  }

  /// An unknown word as a value.
  func addUnknown(
    word: String,
    _ place: Place,
    _ path: String,
    among candidates: [String]
  ) {
    if let nearest = Spelling.nearest(to: word, among: candidates) {
      return add(place, path, "unknown word '\(word)'", nearest: nearest)
    }
    let all = candidates.isEmpty ? "nothing" : "one of " + candidates.joined(separator: ", ")
    add(place, path, "expected \(all), found '\(word)'")
  }
}

// What is wrong with a suite, collected.

import Documents
import Spelling

/// Complaints, each once: a test that is run ten times is wrong in one place. All readers of a
/// document have the same.
final class Complaints {
  private(set) var problems: [DocumentProblem] = []
  private var known: Set<DocumentProblem> = []
  /// More are not reported: nobody reads them.
  private static let most = 200

  func add(
    _ place: Place,
    _ path: String,
    _ message: String,
    expected: String? = nil,
    nearest: String? = nil
  ) {
    guard problems.count < Self.most else { return }
    let problem = DocumentProblem(
      place,
      path: path,
      message,
      expected: expected,
      nearest: nearest
    )
    if known.insert(problem).inserted { problems.append(problem) }
  }

  /// A word that is none of those that are known.
  func addUnknown(
    _ place: Place,
    _ path: String,
    _ message: String,
    _ word: String,
    among candidates: [String]
  ) {
    let nearest = Spelling.nearest(to: word, among: candidates)
    let all = candidates.isEmpty ? "nothing" : "one of " + candidates.joined(separator: ", ")
    add(place, path, message, expected: nearest == nil ? all : nil, nearest: nearest)
  }
}

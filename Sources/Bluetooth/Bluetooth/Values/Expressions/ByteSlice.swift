// A range of bytes or of elements: `[0:4]`.

/// A range of places, `[0:4]`: from the first index up to, not including, the second. A missing
/// index means the start or the end; a negative one counts from the end.
package struct ByteSlice: Hashable, Sendable, CustomStringConvertible {
  private let start: Int?
  private let end: Int?

  package static let all = ByteSlice(start: nil, end: nil)

  package init(start: Int?, end: Int?) { (self.start, self.end) = (start, end) }

  /// Parses the text between the brackets: `0:4`, `4:`, `:-2`; nil for anything else.
  package init?(_ text: Substring) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let indices = parts.map { Int($0) }
    guard parts.count == 2, zip(parts, indices).allSatisfy({ $0.isEmpty || $1 != nil }) else {
      return nil
    }
    (start, end) = (indices[0], indices[1])
  }

  /// The bytes or elements in the range; nil if there are too few.
  package func part<Element>(of all: [Element]) -> [Element]? {
    func place(_ index: Int) -> Int { index < 0 ? all.count + index : index }
    let (first, end) = (place(start ?? 0), place(self.end ?? all.count))
    guard first >= 0, first <= end, end <= all.count else { return nil }
    return Array(all[first..<end])
  }

  package var description: String {
    func shown(_ index: Int?) -> String { index.map { "\($0)" } ?? "" }
    return "[\(shown(start)):\(shown(end))]"
  }
}

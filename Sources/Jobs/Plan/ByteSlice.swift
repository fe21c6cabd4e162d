// Some of the bytes of a captured value.

/// `[0:4]`: the bytes from the first index to before the second one; without one, from the start
/// or to the end. Negative indices count from the end.
struct ByteSlice: Hashable, Sendable, CustomStringConvertible {
  private let start: Int?
  private let end: Int?

  /// All bytes.
  static let all = ByteSlice(start: nil, end: nil)

  private init(start: Int?, end: Int?) { (self.start, self.end) = (start, end) }

  /// Reads what is between the brackets: `0:4`, `4:`, `:-2`; nil for other texts.
  init?(_ text: Substring) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let indices = parts.map { Int($0) }
    guard parts.count == 2, zip(parts, indices).allSatisfy({ $0.isEmpty || $1 != nil }) else {
      return nil
    }
    (start, end) = (indices[0], indices[1])
  }

  /// The bytes; nil where there are not so many.
  func bytes(of octets: [UInt8]) -> [UInt8]? {
    func place(_ index: Int) -> Int { index < 0 ? octets.count + index : index }
    let (first, end) = (place(start ?? 0), place(self.end ?? octets.count))
    guard first >= 0, first <= end, end <= octets.count else { return nil }
    return Array(octets[first..<end])
  }

  var description: String {
    func shown(_ index: Int?) -> String { index.map { "\($0)" } ?? "" }
    return "[\(shown(start)):\(shown(end))]"
  }
}

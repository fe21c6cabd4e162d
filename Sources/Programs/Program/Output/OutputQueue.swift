// Text that waits to be written to a pipe or a terminal with a slow reader.
//
// A pure value. OutputWriter protects it with a lock, and writes.

/// A bounded queue of lines, and the status lines at the bottom of a terminal.
///
/// The bottom lines are erased before other lines are written, and redrawn when no line waits. They are never mixed
/// with other lines, and a paused terminal gets only their latest text.
struct OutputQueue: Sendable {
  /// The result of adding a text.
  enum Admission: Equatable {
    case waits
    /// The text may be dropped, and the queue is full.
    case dropped
    /// The text must not be dropped, and the queue is full: the reader has stopped.
    case overflow
  }

  /// Counts of the text that is missing in the output.
  struct Dropped: Equatable, Sendable {
    var values = 0
    var lines = 0
  }

  private struct Text: Sendable {
    let octets: [UInt8]
    let isDroppable: Bool
  }

  /// The bytes above which values are dropped, until half of them is written.
  static let defaultBound = 4 << 20
  /// The maximum number of bytes with other lines: beyond it, the output fails.
  static let lineBound = 32 << 20
  /// The largest write to a pipe that Linux does not mix with the writes of other processes.
  /// - Source: pipe(7), PIPE_BUF.
  private static let mostAtOnce = 4096

  let bound: Int
  private var texts: [Text] = []
  private var head = 0
  /// The number of waiting bytes.
  private(set) var count = 0
  private(set) var dropped = Dropped()
  /// The unwritten rest of the texts at the head, or of a change of the bottom lines.
  private var portion: ArraySlice<UInt8> = []
  /// The number of texts in the portion; 0 if it changes the bottom lines.
  private var portionTexts = 0
  /// The bottom lines, wanted and shown. Empty for none.
  private var bottom: (wanted: [UInt8], shown: [UInt8]) = ([], [])
  /// The terminal was resized, and may have wrapped the bottom lines.
  private var isTorn = false
  /// Values were dropped, and since then the queue was never half empty.
  private var isCongested = false

  init(bound: Int = defaultBound) { self.bound = bound }

  var isEmpty: Bool {
    head == texts.count && portion.isEmpty && bottom.wanted == bottom.shown
      && !(isTorn && !bottom.wanted.isEmpty)
  }

  /// Whether a caller that can wait may add more.
  var hasRoom: Bool { count < bound }

  // MARK: Printing

  /// Whether a value is dropped, whatever its length. After the first one, all are dropped until half of the queue
  /// is written, so that gaps are few and long.
  mutating func refusesValue() -> Bool {
    isCongested = isCongested && count > bound / 2
    if isCongested { dropped.values += 1 }
    return isCongested
  }

  /// Adds a text of complete lines. A droppable text is one value.
  mutating func put(_ octets: [UInt8], isDroppable: Bool = false) -> Admission {
    guard !octets.isEmpty else { return .waits }
    let text = Text(octets: octets, isDroppable: isDroppable)
    if isDroppable {
      if refusesValue() { return .dropped }
      isCongested = count + octets.count > bound
      if isCongested {
        drop(text)
        return .dropped
      }
    } else if count + octets.count > Self.lineBound {
      drop(text)
      return .overflow
    }
    texts.append(text)
    count += octets.count
    return .waits
  }

  private mutating func drop(_ text: Text) {
    if text.isDroppable {
      dropped.values += 1
    } else {
      dropped.lines += text.octets.count { $0 == UInt8(ascii: "\n") }
    }
  }

  /// Drops all waiting text, also if a part of it is written.
  mutating func dropAll() {
    for text in texts[head...] { drop(text) }
    (texts, head, count) = ([], 0, 0)
    (portion, portionTexts) = ([], 0)
    bottom = ([], [])
  }

  // MARK: The bottom lines

  /// Sets the bottom lines of a terminal. They must fit into its columns and rows.
  ///
  /// - Parameter isResized: Whether the terminal was resized since the last call.
  mutating func show(_ octets: [UInt8], isResized: Bool = false) {
    if isResized { isTorn = bottom.shown.contains(UInt8(ascii: "\n")) }
    bottom.wanted = octets
  }

  /// The bytes that erase or redraw the bottom lines, which come before all other text.
  private mutating func removeRedraw() -> [UInt8] {
    let isFree = head == texts.count
    // Erased before other lines, also if the same text is redrawn below them.
    let due = isFree ? bottom.wanted : []
    guard due != bottom.shown || isTorn && !due.isEmpty else { return [] }
    let lineFeed = UInt8(ascii: "\n")
    let former = bottom.shown.count { $0 == lineFeed }
    let rows = due.split(separator: lineFeed, omittingEmptySubsequences: false)
    bottom.shown = due
    var parts: [Written] = [.lineStart]
    if former > 0 { parts.append(isTorn ? .clearedScreen : .linesUp(former)) }
    isTorn = false
    let cleared = Written.octets(of: [.clearedRest])
    let text = rows.map { $0 + cleared }.joined(separator: [lineFeed])
    let below = former >= rows.count ? Written.octets(of: [.clearedBelow]) : []
    return Written.octets(of: parts) + text + below
  }

  // MARK: Writing

  /// The bytes for the next write call: complete lines, or a part of a longer text than a pipe accepts at once. Nil
  /// if nothing waits.
  mutating func next() -> [UInt8]? {
    if portion.isEmpty {
      portion = removeRedraw()[...]
      while portion.isEmpty || portionTexts > 0, head + portionTexts < texts.count {
        let octets = texts[head + portionTexts].octets
        guard portionTexts == 0 || portion.count + octets.count <= Self.mostAtOnce else { break }
        portion += octets
        portionTexts += 1
      }
    }
    return portion.isEmpty ? nil : Array(portion.prefix(Self.mostAtOnce))
  }

  /// Removes bytes of ``next()`` that were written.
  mutating func wrote(_ octets: Int) {
    portion = portion.dropFirst(octets)
    if portionTexts > 0 { count -= octets }
    guard portion.isEmpty else { return }
    head += portionTexts
    portionTexts = 0
    // Moves at most as many texts as were written since the last time.
    if head * 2 >= texts.count {
      texts.removeFirst(head)
      head = 0
    }
  }
}

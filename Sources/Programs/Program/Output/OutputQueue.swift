// What waits to be written to a pipe or a terminal whose reader takes its time.
//
// A pure value. OutputWriter protects it with a lock, and writes.

/// Lines in the order in which they were printed, up to a bound, and below them the line, or the
/// lines, at the bottom of a terminal.
///
/// The bottom lines are removed before other lines are written, and written anew when none waits: they
/// are never torn, and a terminal that is paused misses all their texts but the last.
struct OutputQueue: Sendable {
  /// What becomes of a text that is put.
  enum Admission: Equatable {
    case waits
    /// It may be dropped, and had no room.
    case dropped
    /// It must not be dropped, and had no room: nobody reads.
    case overflow
  }

  /// What is missing in the output.
  struct Dropped: Equatable, Sendable {
    var values = 0
    var lines = 0
  }

  private struct Text: Sendable {
    let octets: [UInt8]
    let isDroppable: Bool
  }

  /// Above this, values are dropped and may not follow until half of it is written.
  static let usualBound = 4 << 20
  /// How many octets of other lines may wait: more is the end of the output.
  static let lineBound = 32 << 20
  /// What Linux writes to a pipe in one piece, beside what other processes write to it.
  /// - Source: pipe(7), PIPE_BUF.
  private static let mostAtOnce = 4096

  let bound: Int
  private var texts: [Text] = []
  private var head = 0
  /// How many octets of texts wait.
  private(set) var count = 0
  private(set) var dropped = Dropped()
  /// What is left to write of the texts from the head on, or of a change of the bottom lines.
  private var portion: ArraySlice<UInt8> = []
  /// How many texts the portion has; none: it changes the bottom lines.
  private var portionTexts = 0
  /// The bottom lines: what is to be there and what is. Empty: none.
  private var bottom: (wanted: [UInt8], shown: [UInt8]) = ([], [])
  /// The terminal has another size: it may have wrapped the bottom lines.
  private var isTorn = false
  /// Values were dropped, and the queue has not been half empty since.
  private var isCongested = false

  init(bound: Int = usualBound) { self.bound = bound }

  var isEmpty: Bool {
    head == texts.count && portion.isEmpty && bottom.wanted == bottom.shown
      && !(isTorn && !bottom.wanted.isEmpty)
  }

  /// Whether the queue has room for whoever can wait.
  var hasRoom: Bool { count < bound }

  // MARK: What is printed

  /// Whether a text that may be dropped is, whatever its length. Once one was, all are until half of
  /// the queue is written: gaps are few and long, and not one behind each value.
  mutating func refusesValue() -> Bool {
    isCongested = isCongested && count > bound / 2
    if isCongested { dropped.values += 1 }
    return isCongested
  }

  /// Adds a text: complete lines, which are together one value where they may be dropped.
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

  /// Drops what waits, of which a part may be written.
  mutating func dropAll() {
    for text in texts[head...] { drop(text) }
    (texts, head, count) = ([], 0, 0)
    (portion, portionTexts) = ([], 0)
    bottom = ([], [])
  }

  // MARK: The bottom lines

  /// Sets the bottom lines. They need a terminal, must not be longer than a line of it, and not more
  /// than it has.
  ///
  /// - Parameter isResized: Whether the terminal has another size than before.
  mutating func show(_ octets: [UInt8], isResized: Bool = false) {
    if isResized { isTorn = bottom.shown.contains(UInt8(ascii: "\n")) }
    bottom.wanted = octets
  }

  /// What changes the bottom lines before anything else may be written.
  private mutating func takeChange() -> [UInt8] {
    let isFree = head == texts.count
    // They make place for other lines, also where they are to be the same again below them.
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

  /// What is to be written next, with one call: complete lines, or a part of what is longer than a
  /// pipe takes at once. Nil while nothing waits.
  mutating func next() -> [UInt8]? {
    if portion.isEmpty {
      portion = takeChange()[...]
      while portion.isEmpty || portionTexts > 0, head + portionTexts < texts.count {
        let octets = texts[head + portionTexts].octets
        guard portionTexts == 0 || portion.count + octets.count <= Self.mostAtOnce else { break }
        portion += octets
        portionTexts += 1
      }
    }
    return portion.isEmpty ? nil : Array(portion.prefix(Self.mostAtOnce))
  }

  /// So many octets of what was next are written.
  mutating func wrote(_ octets: Int) {
    portion = portion.dropFirst(octets)
    if portionTexts > 0 { count -= octets }
    guard portion.isEmpty else { return }
    head += portionTexts
    portionTexts = 0
    // What is moved is no more than what was written since.
    if head * 2 >= texts.count {
      texts.removeFirst(head)
      head = 0
    }
  }
}

// What waits to be written to a pipe or a terminal whose reader takes its time.
//
// A pure value. OutputWriter protects it with a lock, and writes.

/// Lines in the order in which they were printed, up to a bound, and below them the line, or the
/// lines, at the bottom of a terminal.
///
/// The bottom lines are removed before other lines are written, and written anew when none waits: they
/// are never torn, and a terminal that is paused misses all their texts but the last.
struct OutputQueue: Sendable {
  /// What is written with one call: complete lines, or a part of one that is longer than a pipe takes
  /// at once.
  struct Portion: Equatable, Sendable {
    let descriptor: Int32
    let octets: [UInt8]
  }

  /// Above this, values are dropped and may not follow until half of it is written.
  static let usualBound = 4 << 20
  /// How many octets of other lines may wait: more is the end of the output.
  static let lineBound = 32 << 20
  /// What Linux writes to a pipe in one piece, beside what other processes write to it.
  /// - Source: pipe(7), PIPE_BUF.
  private static let mostAtOnce = 4096

  let bound: Int
  private var lines: [(descriptor: Int32, octets: [UInt8])] = []
  private var head = 0
  /// How many octets of the first line are written.
  private var written = 0
  /// How many octets wait, those included that are being written.
  private(set) var count = 0
  /// What is being written.
  private enum UnderWay: Equatable {
    case nothing, lines, bottomLine
  }

  private var underWay = UnderWay.nothing

  /// The bottom lines: where they are, what is to be there and what is. Empty: none.
  private var bottomLine: (descriptor: Int32, wanted: [UInt8], shown: [UInt8]) = (-1, [], [])
  /// The terminal has another size: it may have wrapped the bottom lines.
  private var isTorn = false
  /// What is still to be written of the last change of the bottom line.
  private var change: [UInt8] = []
  /// Values were dropped, and the queue has not been half empty since.
  private var isCongested = false

  init(bound: Int = usualBound) { self.bound = bound }

  var isEmpty: Bool {
    count == 0 && change.isEmpty && bottomLine.wanted == bottomLine.shown
  }

  /// Whether the queue has room for whoever can wait.
  var hasRoom: Bool { count < bound }

  /// Adds a line that must not be dropped.
  ///
  /// - Returns: False when too much waits already: nobody reads.
  mutating func put(_ octets: [UInt8], to descriptor: Int32) -> Bool {
    guard count + octets.count <= Self.lineBound else { return false }
    lines.append((descriptor, octets))
    count += octets.count
    return true
  }

  /// Sets the bottom lines. They need a terminal, must not be longer than a line of it, and not more
  /// than it has.
  ///
  /// - Returns: Whether it is another one.
  mutating func show(_ octets: [UInt8], on descriptor: Int32) -> Bool {
    guard bottomLine.wanted != octets else { return false }
    bottomLine.descriptor = descriptor
    bottomLine.wanted = octets
    return true
  }

  /// What changes the bottom line before anything else may be written.
  private mutating func takeChange() -> [UInt8] {
    let isFree = head == lines.count
    // It makes place for other lines, also where it is to be the same again below them.
    let due = isFree ? bottomLine.wanted : []
    guard due != bottomLine.shown || isTorn && !due.isEmpty else { return [] }
    let lineFeed = UInt8(ascii: "\n")
    let former = bottomLine.shown.count { $0 == lineFeed }
    let rows = due.split(separator: lineFeed, omittingEmptySubsequences: false)
    bottomLine.shown = due
    var parts: [Written] = [.lineStart]
    if former > 0 { parts.append(isTorn ? .clearedScreen : .linesUp(former)) }
    isTorn = false
    let cleared = Written.octets(of: [.clearedRest])
    let text = rows.map { $0 + cleared }.joined(separator: [lineFeed])
    let below = former >= rows.count ? Written.octets(of: [.clearedBelow]) : []
    return Written.octets(of: parts) + text + below
  }

  /// The terminal has another size.
  mutating func resized() { isTorn = bottomLine.shown.contains(UInt8(ascii: "\n")) }

  /// Whether a value of so many octets may be put. Once one may not, none may until half of the queue
  /// is written: gaps are few and long, and not one behind each value.
  mutating func admits(_ octets: Int) -> Bool {
    if isCongested { isCongested = count > bound / 2 }
    if !isCongested { isCongested = count + octets > bound }
    return !isCongested
  }

  /// What is to be written next; nil while nothing waits or a portion is being written.
  mutating func take() -> Portion? {
    guard underWay == .nothing else { return nil }
    if change.isEmpty { change = takeChange() }
    if !change.isEmpty {
      underWay = .bottomLine
      return Portion(descriptor: bottomLine.descriptor, octets: change)
    }
    guard head < lines.count else { return nil }
    let descriptor = lines[head].descriptor
    var octets = Array(lines[head].octets[written...].prefix(Self.mostAtOnce))
    let endsLine = written + octets.count == lines[head].octets.count
    var next = head + 1
    while endsLine, next < lines.count, lines[next].descriptor == descriptor,
      octets.count + lines[next].octets.count <= Self.mostAtOnce
    {
      octets += lines[next].octets
      next += 1
    }
    underWay = .lines
    return Portion(descriptor: descriptor, octets: octets)
  }

  /// So many octets of the portion were written.
  mutating func wrote(_ octets: Int) {
    let portion = underWay
    underWay = .nothing
    guard portion == .lines else { return change.removeFirst(min(octets, change.count)) }
    count -= octets
    written += octets
    while head < lines.count, written >= lines[head].octets.count {
      written -= lines[head].octets.count
      lines[head].octets = []
      head += 1
    }
    if head == lines.count {
      lines.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 1024 {
      lines.removeFirst(head)
      head = 0
    }
  }

  /// Drops what waits for a descriptor that cannot be written.
  mutating func drop(_ descriptor: Int32) {
    lines = Array(lines[head...].filter { $0.descriptor != descriptor })
    (head, written, underWay) = (0, 0, .nothing)
    if bottomLine.descriptor == descriptor { (bottomLine, change) = ((-1, [], []), []) }
    count = lines.reduce(0) { $0 + $1.octets.count }
  }
}

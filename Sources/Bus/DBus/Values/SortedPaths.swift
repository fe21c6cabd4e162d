// A sorted set of object paths, for trees of many objects that appear and disappear.
//
// A pure value. It stores no data besides the paths.

/// A set of object paths in order: parents before children, siblings by name.
///
/// The paths are kept in chunks of bounded length. Finding, inserting and removing one compares
/// O(log n) paths and moves at most a chunk and the list of chunks.
package struct SortedPaths: Sendable {
  /// The maximum length of a chunk; a longer one is split in two.
  private static let longestChunk = 128

  /// The paths in order; no chunk is empty.
  private var chunks: [[ObjectPath]] = []
  /// The number of paths.
  package private(set) var count = 0

  package init() {}

  package init(_ paths: some Sequence<ObjectPath>) {
    let sorted = Array(Set(paths)).sorted()
    count = sorted.count
    chunks = stride(from: 0, to: count, by: Self.longestChunk / 2).map { start in
      Array(sorted[start...].prefix(Self.longestChunk / 2))
    }
  }

  /// A position between paths: the next path is at an offset of a chunk, if there is one.
  fileprivate struct Place {
    var chunk: Int
    var offset: Int
  }

  /// The position of `path`, or where it would be inserted.
  private func place(of path: ObjectPath) -> Place {
    let chunk = Self.first(chunks.count) { chunks[$0][chunks[$0].count - 1] >= path }
    guard chunk < chunks.count else { return Place(chunk: chunk, offset: 0) }
    let paths = chunks[chunk]
    return Place(chunk: chunk, offset: Self.first(paths.count) { paths[$0] >= path })
  }

  /// The first of `count` indices that meets a condition, which all later ones also meet.
  private static func first(_ count: Int, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Inserts a path. Has no effect if it is present.
  package mutating func insert(_ path: ObjectPath) {
    var place = place(of: path)
    if place.chunk == chunks.count {
      guard !chunks.isEmpty else {
        chunks = [[path]]
        count = 1
        return
      }
      place = Place(chunk: chunks.count - 1, offset: chunks[chunks.count - 1].count)
    } else if chunks[place.chunk][place.offset] == path {
      return
    }
    count += 1
    chunks[place.chunk].insert(path, at: place.offset)
    guard chunks[place.chunk].count > Self.longestChunk else { return }
    let upper = Array(chunks[place.chunk][(Self.longestChunk / 2)...])
    chunks[place.chunk].removeSubrange((Self.longestChunk / 2)...)
    chunks.insert(upper, at: place.chunk + 1)
  }

  /// Removes a path. Has no effect if it is absent.
  package mutating func remove(_ path: ObjectPath) {
    let place = place(of: path)
    guard place.chunk < chunks.count, chunks[place.chunk][place.offset] == path else { return }
    count -= 1
    chunks[place.chunk].remove(at: place.offset)
    if chunks[place.chunk].isEmpty { chunks.remove(at: place.chunk) }
  }

  /// The paths below another one, in order. That path itself need not be present.
  package func below(_ parent: ObjectPath) -> some Sequence<ObjectPath> {
    // "/" sorts before every character of an element, so the paths below directly follow their
    // parent.
    Iterator(chunks: chunks, place: place(of: parent)).lazy
      .drop { $0 == parent }
      .prefix { $0.isBelow(parent) }
  }
}

extension SortedPaths: Sequence {
  package struct Iterator: IteratorProtocol, Sequence {
    fileprivate let chunks: [[ObjectPath]]
    fileprivate var place: Place

    package mutating func next() -> ObjectPath? {
      guard place.chunk < chunks.count else { return nil }
      let path = chunks[place.chunk][place.offset]
      place.offset += 1
      if place.offset == chunks[place.chunk].count {
        place = Place(chunk: place.chunk + 1, offset: 0)
      }
      return path
    }
  }

  package func makeIterator() -> Iterator {
    Iterator(chunks: chunks, place: Place(chunk: 0, offset: 0))
  }
}

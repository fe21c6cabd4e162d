// The contents of a store in memory: the texts of entries and records, with their recent versions.
//
// It keeps texts, as a server does, so that every member parses what another one wrote. A pure value:
// time, faults and clients are in MemoryStore.swift.

import Signals

/// Entries and records, changed only by compare-and-set.
struct StoreContents {
  /// One version of a key; the text is nil after a removal.
  struct Version {
    let revision: Revision
    let text: String?
    /// The parsed text; nil after a removal, and for a text that cannot be parsed.
    let value: StoredValue?
    let at: Instant
  }

  /// The number of versions kept of each key, for stale reads.
  static let keptVersions = 6

  /// The number of earlier contents, which were lost.
  var predecessors = 0
  private var versions: [StoreKey: [Version]] = [:]
  private(set) var revision: Revision = 0

  /// Makes a change.
  ///
  /// - Returns: ``StoreAnswer/applied(_:)`` or ``StoreAnswer/refused``; nil for a read.
  mutating func change(_ request: StoreRequest, at now: Instant) -> StoreAnswer? {
    switch request {
    case .create(let key, let value):
      write(key, value.text, if: versions[key]?.last?.text == nil, at: now)
    case .update(let key, let value, let expected):
      write(key, value.text, if: isCurrent(key, expected), at: now)
    case .remove(let key, let expected):
      write(key, nil, if: isCurrent(key, expected), at: now)
    case .append(let key, let value, let expected):
      write(key, value.text, if: (versions[key]?.last?.revision ?? 0) == expected, at: now)
    case .list, .last, .publish: nil
    }
  }

  private func isCurrent(_ key: StoreKey, _ expected: Revision) -> Bool {
    guard let last = versions[key]?.last else { return false }
    return last.text != nil && last.revision == expected
  }

  /// Stores a text as the newest version of a key; nil removes the key.
  mutating func write(
    _ key: StoreKey, _ text: String?, if isAllowed: Bool = true, at now: Instant
  ) -> StoreAnswer {
    guard isAllowed else { return .refused }
    revision += 1
    let value = text.flatMap { try? StoredValue($0, at: key) }
    versions[key, default: []].append(
      Version(revision: revision, text: text, value: value, at: now)
    )
    if versions[key, default: []].count > Self.keptVersions { versions[key]?.removeFirst() }
    return .applied(revision)
  }

  /// Returns the entries that matched a pattern at an instant, sorted by key.
  func entries(_ pattern: KeyPattern, at instant: Instant) -> [StoreEntry] {
    switch pattern {
    case .one(let key): entry(key, at: instant).map { [$0] } ?? []
    case .all(let kind):
      versions.keys.filter { $0.kind == kind }.sorted().compactMap { entry($0, at: instant) }
    }
  }

  /// Returns why the entry of a key cannot be read; nil if it can, or there is none.
  func problem(_ key: StoreKey, at instant: Instant) -> UnreadableValue? {
    guard let text = versions[key]?.last(where: { $0.at <= instant })?.text else { return nil }
    do {
      _ = try StoredValue(text, at: key)
      return nil
    } catch {
      return error
    }
  }

  private func entry(_ key: StoreKey, at instant: Instant) -> StoreEntry? {
    guard let version = versions[key]?.last(where: { $0.at <= instant }) else { return nil }
    return version.value.map { StoreEntry(key: key, value: $0, revision: version.revision) }
  }

  /// Returns the latest change of each matching key after a revision, in the order of the changes.
  func changes(_ pattern: KeyPattern, after revision: Revision) -> [WatchEvent] {
    let keys = versions.keys.filter { pattern.matches($0) }
    let latest = keys.compactMap { key in versions[key]?.last.map { (key, $0) } }
    return latest.filter { $0.1.revision > revision }.sorted { $0.1.revision < $1.1.revision }
      .compactMap { key, version in
        guard version.text != nil else { return .removed(key, version.revision) }
        return version.value.map {
          .entry(StoreEntry(key: key, value: $0, revision: version.revision))
        }
      }
  }
}

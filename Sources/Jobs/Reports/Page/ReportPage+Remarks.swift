// What explains a run on its page: connections, notes, and the messages of BlueZ.

import Bluetooth

extension ReportPage {
  /// The packets of a run that the page has.
  struct ShownPackets {
    let title: String
    /// The file that has them; nil for those before failures, which name it themselves.
    let file: String?
    let packets: [TracePacket]
    let leftOut: Int
  }

  // MARK: Lanes

  /// The connection, and what a person noted.
  mutating func remarkLanes(_ run: RecordedRun, on axis: TimeAxis) -> [PageMarkup.Lane] {
    let connected = run.connected.map { period in
      LaneBar(.ok, from: period.lowerBound, to: period.upperBound, title: "connected")
    }
    let notes = run.remarks.notes.map { LaneBar(.message, from: $0.at, to: $0.at, title: $0.text) }
    return [("Connection", connected, "connection"), ("Notes", notes, "note")].compactMap {
      name,
      bars,
      noun in
      guard !bars.isEmpty else { return nil }
      let drawing = PageMarkup.bars(bars, on: axis, noun: noun, room: &room.bars)
      return PageMarkup.Lane(name: name, drawing: drawing)
    }
  }

  /// The messages that the page has: the last ones where there is not room for all.
  mutating func shownMessages(_ run: RecordedRun) -> [BlueZMessage] {
    let messages = run.messages
    return messages.suffix(Room.take(messages.count, of: &room.messages))
  }

  /// The calls to BlueZ, each until its answer, and the signals of BlueZ.
  mutating func messageLanes(
    _ index: Int,
    _ messages: [BlueZMessage],
    on axis: TimeAxis
  ) -> [PageMarkup.Lane] {
    let started = runs[index].startedAt
    var (calls, signals) = ([LaneBar](), [LaneBar]())
    var open: [Int: Int] = [:]
    func bar(_ kind: LaneBar.Kind, _ first: Int, to last: BlueZMessage?) -> LaneBar {
      let message = messages[first]
      let outcome = last.map { $0.kind == .error ? ": \($0.error ?? $0.arguments)" : "" }
      return LaneBar(
        kind,
        from: message.time - started,
        to: last.map { $0.time - started } ?? axis.to,
        title: message.member + (outcome ?? ": not answered"),
        anchor: Self.anchor(index, message: first)
      )
    }
    for (place, message) in messages.enumerated() {
      switch message.kind {
      case .call: if let number = message.number { open[number] = place }
      case .reply, .error:
        // The call of the first answers may be older than what is kept.
        let first = message.number.flatMap { open.removeValue(forKey: $0) } ?? place
        calls.append(bar(message.kind == .error ? .failed : .ok, first, to: message))
      case .signal, .request: signals.append(bar(.message, place, to: message))
      }
    }
    calls += open.values.sorted().map { bar(.cancelled, $0, to: nil) }
    return [("Calls to BlueZ", calls, "call"), ("Signals of BlueZ", signals, "signal")].compactMap {
      name,
      bars,
      noun in
      guard !bars.isEmpty else { return nil }
      let drawing = PageMarkup.bars(bars, on: axis, noun: noun, room: &room.bars)
      return PageMarkup.Lane(name: name, drawing: drawing)
    }
  }

  /// The packets that the page has: those of the run, or else those before its failures; the last
  /// ones where there is not room for all.
  mutating func shownPackets(_ run: RecordedRun) -> ShownPackets {
    var known: Set<Int> = []
    let traced = run.tracedPackets
    let all =
      traced?.packets
      ?? run.failures.compactMap(\.trace).flatMap(\.last)
      .filter { known.insert($0.number).inserted }
    let shown = all.suffix(Room.take(all.count, of: &room.packets))
    return ShownPackets(
      title: traced == nil ? "HCI packets before failures" : "HCI packets",
      file: traced?.file,
      packets: Array(shown),
      leftOut: (traced?.leftOut ?? 0) + all.count - shown.count
    )
  }

  /// The packets, where a trace was recorded.
  mutating func packetLanes(
    _ index: Int,
    _ shown: ShownPackets,
    on axis: TimeAxis
  ) -> [PageMarkup.Lane] {
    guard !shown.packets.isEmpty else { return [] }
    let bars = shown.packets.enumerated().map { place, packet in
      let time = packet.time - runs[index].startedAt
      let anchor = Self.anchor(index, packet: place)
      return LaneBar(.message, from: time, to: time, title: packet.text, anchor: anchor)
    }
    let drawing = PageMarkup.bars(bars, on: axis, noun: "packet", room: &room.bars)
    return [PageMarkup.Lane(name: shown.title, drawing: drawing)]
  }

  // MARK: Tables

  /// How much came after the recording had reached its limit.
  static func unrecorded(_ run: RecordedRun) -> [String] {
    leftOut(run.remarks.unrecorded) { count in
      "\(PageMarkup.counted(count, "message")) and packets of the run not recorded: the recording "
        + "had reached its limit (--record-limit)."
    }
  }

  /// The messages of a run, in a table that is opened on demand.
  func messageTable(_ index: Int, _ messages: [BlueZMessage]) -> [String] {
    let run = runs[index]
    guard !messages.isEmpty else { return [] }
    let isRecorded = !run.remarks.messages.isEmpty
    let rest = Self.leftOut(run.remarks.leftOut + run.messages.count - messages.count) { count in
      "\(PageMarkup.counted(count, "more message")) not listed. The journal has what was recorded."
    }
    let rows = messages.enumerated().map { place, message in
      PageMarkup.row(
        id: Self.anchor(index, message: place),
        [
          .number((message.time - run.startedAt).decimalSeconds),
          .status(message.kind == .error ? "failed" : "message", message.kind.rawValue),
          .number(message.number.map { "\($0)" } ?? ""),
          .title(PageMarkup.text(message.member)),
          .text(Self.details(of: message)),
        ]
      )
    }
    let title = isRecorded ? "Messages of BlueZ" : "Messages of BlueZ before failures"
    let table = PageMarkup.table(
      "\(title), \(PageMarkup.name(run.label))",
      class: "messages",
      columns: [
        .init("Time (s)", isNumeric: true), .init("Kind"), .init("Call", isNumeric: true),
        .init("Member"), .init("Content"),
      ],
      rows: rows
    )
    return PageMarkup.details(
      class: "messages",
      "\(title): \(PageMarkup.number(messages.count))",
      rest + table
    )
  }

  /// The packets of a run, in a table that is opened on demand.
  func packetTable(_ index: Int, _ shown: ShownPackets) -> [String] {
    let run = runs[index]
    let file = shown.file.map { ". The trace \(PageMarkup.name($0)) has them" } ?? ""
    let which = shown.packets.isEmpty ? "" : " before these"
    let rest = Self.leftOut(shown.leftOut) { count in
      "\(PageMarkup.counted(count, "packet"))\(which) not listed\(file)."
    }
    guard !shown.packets.isEmpty else { return rest }
    let rows = shown.packets.enumerated().map { place, packet in
      PageMarkup.row(
        id: Self.anchor(index, packet: place),
        [
          .number((packet.time - run.startedAt).decimalSeconds), .number("\(packet.number)"),
          .title(PageMarkup.text(packet.text)),
        ]
      )
    }
    let table = PageMarkup.table(
      "\(shown.title), \(PageMarkup.name(run.label))",
      class: "packets",
      columns: [
        .init("Time (s)", isNumeric: true), .init("Packet", isNumeric: true), .init("What"),
      ],
      rows: rows
    )
    let title = "\(shown.title): \(PageMarkup.number(shown.packets.count))"
    return PageMarkup.details(class: "packets", title, rest + table)
  }

  /// The error, the arguments, and the object of a message.
  private static func details(of message: BlueZMessage) -> String {
    let error = message.error.map { "<span class=\"failed\">\(PageMarkup.text($0))</span> " } ?? ""
    let place = [message.interface, message.object].compactMap(\.self).joined(separator: " ")
    return "\(error)<code>\(PageMarkup.text(message.arguments))</code>"
      + (message.kind == .reply ? "" : "<small>\(PageMarkup.text(place))</small>")
  }

  /// How many messages and packets an explanation shows.
  private static let lastLines = 16

  /// The last messages and packets before a failure, on one axis of time.
  ///
  /// - Parameter start: When the run began, since 1970-01-01T00:00:00Z.
  static func messages(before failure: RunFailure, from start: Duration) -> String {
    let messages = failure.messages.suffix(lastLines)
    let packets = (failure.trace?.last ?? []).suffix(lastLines)
    var lines: [(time: Duration, text: String)] = []
    for message in messages { lines.append((message.time, message.text)) }
    for packet in packets { lines.append((packet.time, "packet \(packet.number) \(packet.text)")) }
    guard !lines.isEmpty else { return "" }
    // Messages come before packets of the same time.
    let order = lines.indices.sorted { (lines[$0].time, $0) < (lines[$1].time, $1) }
    let items = order.map { index -> String in
      let text = PageMarkup.text(lines[index].text, limit: 200)
      let time = seconds(lines[index].time - start)
      return "<li><span class=\"n\">\(time)</span> <code>\(text)</code></li>"
    }
    var parts: [String] = []
    if !messages.isEmpty { parts.append("\(counted(messages.count, "message")) of BlueZ") }
    if !packets.isEmpty { parts.append(counted(packets.count, "packet")) }
    return "<details class=\"before\"><summary>Before it: \(parts.joined(separator: ", "))"
      + "</summary><ol>\(items.joined())</ol></details>"
  }
}

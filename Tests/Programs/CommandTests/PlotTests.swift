// A live plot as a picture, without a terminal.

import Bluetooth
import Fixtures
import Jobs
import Signals
import Testing

@testable import Program

@Suite("A live plot")
struct PlotTests {
  private static let heart = "heart-rate-measurement"

  private func plot(span: Duration? = nil) -> PlotState {
    // 2026-01-02T12:00:00Z.
    PlotState(wallClockAtStart: .seconds(1_767_355_200), span: span)
  }

  private func event(
    _ value: DecodedValue, at seconds: Double, of attribute: String = heart,
    device: String = "HRM-1"
  ) throws -> RunEvent {
    let step = Step(.notify(NotifyStep(to: try CharacteristicSelector(parsing: attribute))))
    return RunEvent(
      run: RunIdentity(seed: 0, text: "watch"), device: device, attempt: 1,
      offset: .milliseconds(Int(seconds * 1000)), wallClock: .zero,
      change: .data(
        StepPosition.place([step])[0].reported, .value(StepValue(octets: [], decoded: value)))
    )
  }

  private func beat(_ bpm: Int64, at seconds: Double) throws -> RunEvent {
    try event(.fields([.init("bpm", .integer(Int128(bpm)), unit: "bpm")]), at: seconds)
  }

  private func picture(
    _ plot: PlotState, at seconds: Int, _ columns: Int, _ rows: Int,
    _ charset: PlotCharset = .ascii
  ) -> [String] {
    let size = PlotSize(columns: columns, rows: rows)
    return PlotPicture(of: plot, at: seconds * 1_000_000, size: size, charset).lines.map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// A minute of values in a triangle from 60 to 80, with a dropped connection and a note.
  private func minute() throws -> PlotState {
    var plot = plot()
    plot.apply(.connected, of: "HRM-1", at: .zero)
    for second in 1...20 { plot.apply(try beat(60 + Int64(second), at: Double(second))) }
    let lost = RunFailure(
      code: .linkLost, class: .passing, what: "listening", why: "the link to the device was lost"
    )
    plot.apply(.lost(lost), of: "HRM-1", at: .seconds(21))
    plot.apply(.reconnected(after: .seconds(9)), of: "HRM-1", at: .seconds(30))
    let gap = NotificationGap(.linkLost, from: .start + .seconds(21), to: .start + .seconds(30))
    let step = try beat(0, at: 30)
    guard case .data(let reported, .value) = step.change else { return plot }
    plot.apply(
      RunEvent(
        run: step.run, device: step.device, attempt: 1, offset: .seconds(30), wallClock: .zero,
        change: .data(reported, .gap(gap))
      )
    )
    for second in 31...59 { plot.apply(try beat(80 - Int64(second - 31) / 2, at: Double(second))) }
    for key in [PlotState.Key.character("n"), .character("u"), .character("p"), .enter] {
      let action = plot.press(key, at: .seconds(45))
      #expect(action != .end)
    }
    return plot
  }

  // MARK: Pictures

  @Test("a gap interrupts only the lines of its own characteristic")
  func gapOfOne() throws {
    var plot = plot()
    let names = ["temperature", "temperature-measurement"]
    for name in names { plot.apply(try event(.integer(1), at: 1, of: name)) }
    let value = try event(.integer(1), at: 1, of: names[0])
    guard case .data(let step, .value) = value.change else { return }
    let gap = NotificationGap(.linkLost, from: .start, to: .start + .seconds(1))
    plot.apply(
      RunEvent(
        run: value.run, device: value.device, attempt: 1, offset: .seconds(1), wallClock: .zero,
        change: .data(step, .gap(gap))
      )
    )
    for name in names { plot.apply(try event(.integer(2), at: 2, of: name)) }
    let gaps = plot.series.map { series in
      series.envelope.columns(300, in: 0..<3_000_000).compactMap { $0?.followsGap }
    }
    #expect(gaps == [[false, true], [false, false]])
  }

  @Test("the ASCII plot has axes, times, numbers, a gap, markers and a note")
  func ascii() throws {
    #expect(picture(try minute(), at: 60, 70, 16) == Self.lines(Self.asciiPicture))
  }

  @Test("the braille plot shows the same")
  func braille() throws {
    #expect(picture(try minute(), at: 60, 70, 16, .braille) == Self.lines(Self.braillePicture))
  }

  @Test("a characteristic is titled with its name from the names file")
  func names() throws {
    let uuid = "5a110007-7e57-4c0d-9a00-0123456789ab"
    var plot = PlotState(
      wallClockAtStart: .seconds(1_767_355_200), titles: [uuid: "soil-moisture"]
    )
    plot.apply(try event(.fields([.init("percent", .integer(7), unit: "%")]), at: 1, of: uuid))
    #expect(plot.series.map(\.name) == ["soil-moisture percent"])
    plot.apply(try event(.integer(7), at: 2, of: "2a19"))
    #expect(plot.series.map(\.name).last == "battery-level")
  }

  @Test("each series has a panel, with device names if there are several devices")
  func panels() throws {
    var plot = PlotState(wallClockAtStart: .seconds(1_767_355_200), namesDevice: true)
    for second in 0...9 {
      plot.apply(try beat(Int64(60 + second), at: Double(second)))
      plot.apply(
        try event(
          .fields([.init("celsius", .real(36.5, decimals: 1), unit: "°C")]), at: Double(second),
          of: "temperature-measurement", device: "Thermo-1"
        )
      )
    }
    #expect(picture(plot, at: 10, 60, 14) == Self.lines(Self.panelPicture))
  }

  @Test("a terminal that is too small shows only the numbers", arguments: [(20, 30), (80, 4)])
  func small(columns: Int, rows: Int) throws {
    let lines = picture(try minute(), at: 60, columns, rows)
    #expect(lines.count <= rows)
    #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
    #expect(lines.first?.hasPrefix("heart-rate") == true)
    #expect(lines.first?.hasSuffix("last 66") == true, "\(lines)")
  }

  @Test("a narrow plot cuts the name, not the numbers")
  func narrow() throws {
    let lines = picture(try minute(), at: 60, 40, 12)
    #expect(lines.first == "heart-rate-mea…  min 61  max 80  last 66", "\(lines)")
  }

  @Test(
    "no picture is larger than the terminal",
    arguments: [(1, 1), (21, 7), (22, 8), (40, 10), (79, 24), (200, 60), (500, 200)]
  )
  func sizes(columns: Int, rows: Int) throws {
    for charset in [PlotCharset.ascii, .braille] {
      let lines = picture(try minute(), at: 60, columns, rows, charset)
      #expect(lines.count <= rows)
      #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
    }
  }

  @Test("a span shows only the latest part, and older values are dropped")
  func span() throws {
    var plot = plot(span: .seconds(10))
    for second in 0..<1000 { plot.apply(try beat(Int64(second % 100), at: Double(second))) }
    let lines = picture(plot, at: 1000, 60, 12)
    #expect(lines.contains { $0.contains("|12:16:35") }, "\(lines)")
    #expect(!lines.contains { $0.contains("12:16:20") }, "\(lines)")
    #expect(plot.series[0].envelope.columns(10, in: 0..<900_000_000).allSatisfy { $0 == nil })
  }

  // MARK: Memory

  @Test("the numbers of markers and series and the length of a note are limited")
  func bounds() throws {
    var plot = plot()
    for number in 0..<1000 {
      plot.apply(.connected, of: "HRM-1", at: .seconds(number))
      plot.apply(try event(.fields([.init("f\(number)", .integer(1))]), at: 0))
    }
    #expect(plot.markers.count == PlotState.mostMarkers)
    #expect(plot.series.count == PlotState.mostSeries)
    #expect(plot.unplotted.count == PlotState.mostMarkers)
    _ = plot.press(.character("n"), at: .zero)
    for _ in 0..<1000 { _ = plot.press(.character("x"), at: .zero) }
    #expect(plot.typed?.text.count == PlotState.longestNote)
  }

  // MARK: Keys

  @Test("a note keeps the time at which it was begun, and can be edited or cancelled")
  func notes() {
    var plot = plot()
    _ = plot.press(.character("x"), at: .seconds(1))
    #expect(plot.typed == nil)
    for (key, second) in [
      (PlotState.Key.character("n"), 5), (.character("q"), 6), (.character("z"), 7), (.delete, 8),
    ] {
      let action = plot.press(key, at: .seconds(second))
      #expect(action == .nothing)
    }
    let noted = plot.press(.enter, at: .seconds(9))
    #expect(noted == .note("q", at: .seconds(5)))
    #expect(plot.markers == [.init(kind: .note, at: 5_000_000, text: "q")])
    _ = plot.press(.character("n"), at: .seconds(10))
    _ = plot.press(.escape, at: .seconds(11))
    #expect(plot.typed == nil && plot.markers.count == 1)
    let last = plot.press(.character("q"), at: .seconds(12))
    #expect(last == .end)
  }

  @Test("terminal input is decoded to keys: partial input waits, invalid input is ignored")
  func keys() {
    var octets: [UInt8] = Array("né\n".utf8) + [0x7f, 0x01, 0xff, 0xfe, 0xfd, 0xfc, 0xc3]
    let first = TerminalKeys.keys(&octets)
    #expect(first == [.character("n"), .character("é"), .enter, .delete])
    #expect(octets == [0xc3])
    octets += [0xa4, 0x1b, 0x5b, 0x41]
    let second = TerminalKeys.keys(&octets)
    #expect(second == [.character("ä"), .escape])
    #expect(octets.isEmpty)
  }

  @Test(
    "braille is used if the locale is UTF-8",
    arguments: [
      (["LANG": "en_US.UTF-8"], true), (["LANG": "C.utf8"], true), (["LANG": "C"], false),
      ([:], false),
      (["LANG": "en_US.UTF-8", "LC_ALL": "C"], false), (["LC_ALL": "", "LANG": "C.UTF-8"], true),
    ] as [([String: String], Bool)]
  )
  func charset(environment: [String: String], isBraille: Bool) {
    #expect((PlotCharset { environment[$0] } == .braille) == isBraille)
  }

  // MARK: The pictures

  private static func lines(_ picture: String) -> [String] {
    picture.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static let asciiPicture = """
    heart-rate-measurement bpm  min 61  max 80  last 66
           80|                  **          ****
             |                **                ****
             |              **                      ****
             |           ***                            ******
             |         **                                     ****
             |      ***                                           ******
             |    **                                                    *
             |  **
           61|**
              C                   D        R              N
          UTC |12:00:00     |12:00:15      |12:00:30      |12:00:45
    12:00:21 D  HRM-1: the link to the device was lost
    12:00:30 R  HRM-1: connected again after 9.0 s
    12:00:45 N  up

    """

  private static let braillePicture = """
    heart-rate-measurement bpm  min 61  max 80  last 66
           80│                  ⡠⠊          ⠈⠉⠢⠤⡀
             │               ⢀⠤⠊                ⠈⠉⠢⠤⣀⣀
             │             ⢀⠔⠁                        ⠑⠒⢄⣀
             │           ⢀⠔⠁                              ⠑⠒⢄⣀
             │         ⡠⠒⠁                                    ⠑⠒⠤⠤⡀
             │       ⡠⠊                                           ⠈⠉⠢⠤⡀
             │     ⡠⠊                                                 ⠈⠉⠢
             │  ⢀⠔⠉
           61│⢀⠔⠁
              C                   D        R              N
          UTC |12:00:00     |12:00:15      |12:00:30      |12:00:45
    12:00:21 D  HRM-1: the link to the device was lost
    12:00:30 R  HRM-1: connected again after 9.0 s
    12:00:45 N  up

    """

  private static let panelPicture = """
    HRM-1 heart-rate-measurement bpm  min 60  max 69  last 69
           69|                                     ********
             |                           **********
             |                 **********
             |       **********
           60|*******
    Thermo-1 temperature-measure…  min 36.5  max 36.5  last 36.5
         40.2|
             |*********************************************
             |
         32.9|

          UTC |12:00:00               |12:00:05

    """
}

// The lines between a device and its logic.

import Bluetooth
import SimulatedDevices
import Testing

@Suite("Logic lines")
struct LogicCodecTests {
  static let pin = LogicEvent.Attribute(service: "door", characteristic: "pin", handle: 12)

  static func event(_ kind: LogicEvent.Kind) -> LogicEvent {
    LogicEvent(id: 7, device: "Door-1", time: .milliseconds(250), kind: kind)
  }

  static let write = event(.write(pin, value: [0, 0x2a, 0xff], withResponse: true))

  static let events: [(LogicEvent.Kind, String)] = [
    (.start(seed: 42), #""event": "start", "seed": 42"#),
    (.connected, #""event": "connected""#),
    (.disconnected, #""event": "disconnected""#),
    (
      .read(pin, offset: 20),
      #""event": "read", "service": "door", "characteristic": "pin", "offset": 20"#
    ),
    (
      .write(pin, value: [0, 0x2a, 0xff], withResponse: false),
      #""event": "write", "service": "door", "characteristic": "pin", "value": "002aff", "#
        + #""response": false"#
    ),
    (.subscribed(pin), #""event": "subscribed", "service": "door", "characteristic": "pin""#),
    (.unsubscribed(pin), #""event": "unsubscribed", "service": "door", "characteristic": "pin""#),
    (.timer("re\"lock"), #""event": "timer", "name": "re\"lock""#),
  ]

  @Test("each event is encoded as one line", arguments: events)
  func line(_ kind: LogicEvent.Kind, _ members: String) {
    let head = #"{"v": 1, "id": 7, "at": 0.25, "device": "Door-1", "#
    #expect(Self.event(kind).line == head + members + "}")
  }

  static let answers: [(String, LogicAnswer)] = [
    (#"{"id":7}"#, LogicAnswer()),
    (#" { "value" : "01 fF", "id" : 7 } "#, LogicAnswer(value: [1, 0xff])),
    (#"{"id":7,"value":""}"#, LogicAnswer(value: [])),
    (#"{"id":7,"error":128}"#, LogicAnswer(error: ATTErrorCode(rawValue: 0x80))),
    (
      #"{"id":7,"do":[{"notify":"state","value":"01"},{"set":"pin","value":""},{"disconnect":true}]}"#,
      LogicAnswer(actions: [.notify("state", [1]), .set("pin", []), .disconnect])
    ),
    (#"{"id":7,"do":[{"request-security":true}]}"#, LogicAnswer(actions: [.requestSecurity])),
    (
      #"{"id":7,"do":[{"wake":"\u006dorgen \ud83d\ude00","in":"1.5m"}]}"#,
      LogicAnswer(actions: [.wake("morgen 😀", in: .seconds(90))])
    ),
  ]

  @Test("an answer is parsed", arguments: answers)
  func read(_ line: String, _ answer: LogicAnswer) throws {
    let found = try LogicAnswer(parsing: line, to: Self.write)
    #expect(found.value == answer.value)
    #expect(found.error == answer.error)
    #expect(found.actions == answer.actions)
    #expect(found.handles == nil)
  }

  @Test("the answer to start lists the handled events")
  func handles() throws {
    let line = #"{"id":7,"handles":["write pin","connected"]}"#
    let answer = try LogicAnswer(parsing: line, to: Self.event(.start(seed: 1)))
    #expect(answer.handles == ["write pin", "connected"])
  }

  static let wrong: [(String, LogicEvent.Kind?, String)] = [
    ("", nil, "invalid JSON at byte 0"),
    ("hello", nil, "invalid JSON at byte 0"),
    ("{'id': 7}", nil, "invalid JSON at byte 1"),
    (#"{"id":7} {"id":8}"#, nil, "invalid JSON at byte 9"),
    ("7", nil, "expected a mapping"),
    ("{}", nil, "the key 'id' is missing (expected the id of the event)"),
    (#"{"id":6}"#, nil, "the id is 6: expected 7"),
    (#"{"id":"7"}"#, nil, "expected the id of the event, found '7'"),
    (#"{"id":7,"vlaue":"01"}"#, nil, "did you mean 'value'?"),
    (#"{"id":7,"value":"0"}"#, nil, "expected hex digits such as \"01ff\", found '0'"),
    (#"{"id":7,"value":17}"#, nil, "expected hex digits"),
    (#"{"id":7,"error":0}"#, nil, "expected an ATT error code from 1 to 255, found '0'"),
    (#"{"id":7,"error":"busy"}"#, nil, "expected an ATT error code from 1 to 255"),
    (#"{"id":7,"error":14,"value":"00"}"#, nil, "'value' and 'error' exclude each other"),
    (#"{"id":7,"value":"00"}"#, .connected, "answer reads and writes, not 'connected'"),
    (#"{"id":7,"error":14}"#, .timer("x"), "answer reads and writes, not 'timer'"),
    (#"{"id":7,"handles":[]}"#, nil, "'handles' answers 'start', not 'write'"),
    (#"{"id":7,"do":{"disconnect":true}}"#, nil, "expected a list of actions, found a mapping"),
    (
      #"{"id":7,"do":[{}]}"#, nil,
      "one of the keys notify, set, disconnect, request-security, advertise, wake"
    ),
    (#"{"id":7,"do":[{"notify":"state"}]}"#, nil, "the key 'value' is missing"),
    (#"{"id":7,"do":[{"set":"","value":"01"}]}"#, nil, "expected the name of a characteristic"),
    (#"{"id":7,"do":[{"disconnect":false}]}"#, nil, "expected true, found 'false'"),
    (#"{"id":7,"do":[{"wake":"x"}]}"#, nil, "the key 'in' is missing"),
    (#"{"id":7,"do":[{"wake":"x","in":"0s"}]}"#, nil, "expected a duration from 1ms to 24h"),
    (#"{"id":7,"do":[{"wake":"x","in":"1s","at":1}]}"#, nil, "unknown key 'at'"),
  ]

  @Test("an invalid answer is refused with its reason", arguments: wrong)
  func refused(_ line: String, _ kind: LogicEvent.Kind?, _ problem: String) {
    let event = kind.map { Self.event($0) } ?? Self.write
    do throws(LogicError.Reason) {
      _ = try LogicAnswer(parsing: line, to: event)
      Issue.record("taken: \(line)")
    } catch {
      let text = LogicError(device: "Door-1", event: event.title, error).description
      #expect(text.contains(problem), "\(text)")
      #expect(text.contains("Door-1") && text.hasSuffix("received: \(line)"), "\(text)")
    }
  }

  @Test("a value, a line and an error text have maximum lengths")
  func bounds() {
    let hex = String(repeating: "00", count: 513)
    for line in [#"{"id":7,"value":"\#(hex)"}"#, String(repeating: " ", count: (64 << 10) + 1)] {
      do throws(LogicError.Reason) {
        _ = try LogicAnswer(parsing: line, to: Self.write)
        Issue.record("taken")
      } catch {
        #expect(LogicError(device: "Door-1", event: "write pin", error).description.count < 1_500)
      }
    }
  }
}

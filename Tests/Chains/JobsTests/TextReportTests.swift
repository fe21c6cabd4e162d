// A run as people read it: exact lines.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("The text report")
struct TextReportTests {
  let bench = RunBench()

  @Test("each step prints a line with its value when it ends, and the run prints one")
  func well() throws {
    bench.device.notify(
      "heart-rate-measurement", [(.milliseconds(500), [4, 61]), (.milliseconds(500), [6, 62])]
    )
    try bench.run(
      file: """
        steps:
          - { read: temperature-measurement, as: reading }
          - { write: alert-level, value: { u8: 1 } }
          - { notify: heart-rate-measurement, until: { count: 2 } }
          - when: { reading.celsius: { above: 37 } }
            steps: [ { write: alert-level, value: { u8: 2 } } ]
          - repeat: 2
            steps: [ { read: battery-level, as: b }, { sleep: 117ms } ]
          - log: "{b.percent} percent, {reading.celsius} degrees"
        """
    )
    #expect(
      bench.text() == [
        "-  connect  ok",
        "1  read temperature-measurement  36.6 °C",
        "2  write alert-level u8:1  ok",
        "3  notify heart-rate-measurement  61 bpm, contact no",
        "3  notify heart-rate-measurement  62 bpm, contact yes",
        "3  notify heart-rate-measurement  2 values, 2.00 a second",
        "4  when reading.celsius > 37  skipped",
        "5[1].1  read battery-level  72 %",
        "5[1].2  sleep 117ms  ok",
        "5[2].1  read battery-level  72 %",
        "5[2].2  sleep 117ms  ok",
        "5  repeat 2  ok",
        "6  log  72 percent, 36.6 degrees",
        "-  disconnect  ok",
        "ok: 8 steps in 1.234 s",
      ]
    )
  }

  @Test("a failure prints the operation, the reason, the BlueZ error and a hint on separate lines")
  func failing() throws {
    let lost = DeviceFailure.scripted(.linkLost, .passing)
    bench.device.answer("read battery-level", .failure(lost, after: .milliseconds(1500)))
    try bench.run("write alert-level u8:0; read battery-level; sleep 1s")
    #expect(
      bench.text() == [
        "-  connect  ok",
        "1  write alert-level u8:0  ok",
        "2  read battery-level  failed",
        "   what   reading battery-level on 'Thermo-1'",
        "   why    the link was lost", "   where  -e:1:25",
        "          write alert-level u8:0; read battery-level; sleep 1s",
        "                                  ^",
        "   BlueZ  org.bluez.Error.Failed: le-connection-abort-by-local",
        "   try    bring the device closer",
        "-  disconnect  ok",
        "failed at step 2 after 1 step in 1.500 s: link-lost",
      ]
    )
  }

  @Test("a value that does not meet the expectation is reported with the failure")
  func unexpected() throws {
    try bench.run("read battery-level expect percent > 90")
    #expect(
      bench.text() == [
        "-  connect  ok",
        "1  read battery-level  failed (72 %)",
        "   what   reading battery-level",
        "   why    expected percent > 90, got 72 % (bytes 48)", "   where  -e:1:1",
        "          read battery-level expect percent > 90",
        "          ^",
        "   try    check the device, or what the chain expects of it",
        "-  disconnect  ok",
        "failed at step 1 after 0 steps in 0.000 s: expectation-not-met",
      ]
    )
  }

  @Test("each further attempt is announced, and a failed connect is named")
  func tries() throws {
    bench.device.answer("connect", .failure(DeviceFailure.scripted(.notFound, .passing)))
    try bench.run(file: "retry: { attempts: 2 }\nsteps: [{ read: battery-level }]")
    let lines = bench.text()
    #expect(lines.filter { $0.hasPrefix("attempt") } == ["attempt 2 of 2"])
    #expect(lines.first == "-  connect  failed")
    #expect(lines.count(where: { $0 == "-  connect  failed" }) == 2)
    #expect(lines.last == "failed at connecting after 0 steps in 0.500 s: not-found")
  }

  @Test("a further attempt that succeeds is announced once")
  func secondTry() throws {
    let lost = DeviceFailure.scripted(.linkLost, .passing)
    bench.device.answer("read battery-level", .failure(lost), .value([72]))
    try bench.run(file: "retry: { attempts: 2 }\nsteps: [{ read: battery-level }]")
    #expect(
      bench.text().suffix(5) == [
        "attempt 2 of 2", "-  connect  ok", "1  read battery-level  72 %", "-  disconnect  ok",
        "ok: 1 step in 0.500 s",
      ]
    )
  }

  @Test("values that arrive at the same time have no rate")
  func atOnce() throws {
    bench.device.notify("battery-level", [(.zero, [1]), (.zero, [2])])
    try bench.run("notify battery-level until 2x")
    #expect(bench.text().contains("1  notify battery-level  2 values at once"))
    #expect(bench.json().contains { $0.contains(#""value":{"count":2,"rate":null}"#) })
  }

  @Test("an interruption is reported for the step, the clean-up and the run")
  func interrupted() throws {
    let scheduler = bench.device.scheduler
    bench.loop.after(.seconds(2)) { scheduler.cancelAll(Interrupted(signal: 15)) }
    try bench.run("sleep 10s")
    #expect(
      bench.text() == [
        "-  connect  ok",
        "1  sleep 10s  cancelled",
        "   what   sleeping",
        "   why    interrupted by SIGTERM", "   where  -e:1:1",
        "          sleep 10s",
        "          ^",
        "-  disconnect  ok",
        "cancelled at step 1 after 0 steps in 2.000 s: interrupted",
      ]
    )
  }

  @Test("control characters from a device are escaped")
  func controls() throws {
    bench.device.answer("read manufacturer-name-string", .value(Array("a\u{1b}[2Jb\nc".utf8)))
    try bench.run("read manufacturer-name-string; read manufacturer-name-string format hex")
    #expect(
      bench.text().dropFirst().prefix(2) == [
        #"1  read manufacturer-name-string  a\u{1b}[2Jb\u{a}c"#,
        "2  read manufacturer-name-string  611b5b324a620a63",
      ]
    )
  }
}

// The content of `blerun demo`: its files, commands and texts. It runs nothing.

import Jobs

enum Tour {
  /// A command with its explanation.
  struct Part: Sendable {
    let title: String
    /// The lines before the command.
    let text: [String]
    /// The file that is printed before the command.
    var shown: String?
    /// The arguments of the command. One that equals the name of a file in the folder becomes its
    /// path.
    let words: [String]
    var status = ExitStatus.ok

    /// The arguments, with the paths of files in `folder`.
    func arguments(_ folder: String) -> [String] {
      let names = Tour.files.map(\.name) + [Tour.page]
      return words.map { names.contains($0) ? "\(folder)/\($0)" : $0 }
    }

    /// The text before the output of the command.
    func introduction(_ index: Int, in folder: String, _ program: String) -> String {
      var lines = ["", "\(index). \(title)", ""] + text
      if let shown, let file = Tour.files.first(where: { $0.name == shown }) {
        let own = file.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        lines += ["", "\(folder)/\(shown):", ""] + own.map { "    " + $0 }
      }
      let command = ([program] + arguments(folder)).asShellLine
      return (lines + ["", "$ " + command]).joined(separator: "\n")
    }
  }

  static func welcome(_ folder: String) -> String {
    """
    A tour of blerun. All devices are simulated: no radio is used.
    The files are in \(folder).
    The commands can be repeated from any folder.
    """
  }

  static func farewell(_ folder: String) -> String {
    """

    \(folder)/\(page) shows the batch in a browser.

    With a Bluetooth adapter the same commands work on real devices, without
    --simulate: begin with blerun doctor and blerun scan. blerun --help lists the
    commands; the documentation begins at docs/index.md.

    \(leftovers(folder))
    """
  }

  static func leftovers(_ folder: String) -> String {
    "The files stay. To remove them: rm -r \(folder.asShellWord)"
  }

  /// The report that the last part writes.
  static let page = "report.html"

  private static let devices = ["--simulate", "thermo-1.yaml", "--simulate", "thermo-2.yaml"]

  static let parts = [
    Part(
      title: "Simulated devices",
      text: [
        "A device is a file: what it advertises, its services, and how its values change.",
        "A scan finds two of them.",
      ],
      shown: "thermo-1.yaml", words: ["scan"] + devices
    ),
    Part(
      title: "A chain",
      text: [
        "A chain connects, does its steps, and disconnects, however it ends.",
        "This one checks a battery, then takes three temperatures.",
      ],
      shown: "check.yaml", words: ["run", "check.yaml", "--simulate", "thermo-1.yaml"]
    ),
    Part(
      title: "A failure",
      text: [
        "The battery of the second device is low. A failure states what was done,",
        "why it failed, and the line of the chain. The exit status is for scripts.",
      ],
      words: ["run", "check.yaml", "-d", "Thermo-2"] + devices, status: .failed
    ),
    Part(
      title: "A batch",
      text: ["A batch runs a chain on many devices, several at once, and sums up."],
      shown: "batch.yaml", words: ["batch", "batch.yaml"] + devices, status: .failed
    ),
    Part(
      title: "A report", text: ["The same batch as TAP for a CI job, and as a page for a browser."],
      words: ["batch", "batch.yaml", "--output", "tap", "--report", page] + devices,
      status: .failed
    ),
  ]

  // MARK: Files

  static let files: [(name: String, text: String)] = [
    ("thermo-1.yaml", thermometer("Thermo-1", "C0:FF:EE:00:03:01", rssi: -52, battery: 87)),
    ("thermo-2.yaml", thermometer("Thermo-2", "C0:FF:EE:00:03:02", rssi: -67, battery: 12)),
    (
      "check.yaml",
      """
      name: Check a thermometer
      device: { name: "Thermo-1" }
      timeout: 10s
      steps:
        - read: battery-level
          expect: { percent: { min: 20 } }
        - notify: temperature-measurement
          until: { count: 3 }
          expect: { celsius: { between: [10, 40] } }

      """
    ),
    (
      "batch.yaml",
      """
      name: All thermometers
      chain: check.yaml
      devices: [Thermo-1, Thermo-2]
      concurrency: 2

      """
    ),
  ]

  private static func thermometer(
    _ name: String, _ address: String, rssi: Int, battery: Int
  ) -> String {
    """
    name: \(name)
    address: \(address)
    advertisement: { services: [health-thermometer], rssi: \(rssi) }
    services:
      - service: battery
        characteristics:
          - { characteristic: battery-level, properties: [read], value: { u8: \(battery) } }
      - service: health-thermometer
        characteristics:
          - characteristic: temperature-measurement
            properties: [indicate]
            wave:
              parts: [{ hex: "04" }, { medfloat: { low: 20.5, high: 22.5 } }, { u8: 2 }]
              period: 1m
              every: 2s

    """
  }
}

// Complete runs as one HTML page.
//
// It decides the content of the page and its order; PageMarkup writes the markup, and the files in
// Files define its look and its script.

import Bluetooth
import RunEvents

/// A report as one HTML file: failures first, then each device with its steps and values over a
/// time axis.
///
/// It loads nothing: its Content-Security-Policy allows only its own script and style, by their
/// hashes. It is readable without the script, which sorts, filters and moves a cursor. The page is
/// also well-formed XML.
public struct HTMLReport: RunsReport {
  public init() {}

  public var showsValues: Bool { true }

  public func text(on runs: [RecordedRun], of whole: CommandRecord?) -> String {
    var page = ReportPage(runs, whole)
    let title = PageMarkup.text(whole?.name ?? runs.first?.start.chain ?? "blerun")
    let lines =
      Self.head(title) + ["<header>", "<h1>\(title)</h1>"] + page.summary + ["</header>", "<main>"]
      + page.failures + page.overview + page.values + page.sections + ["</main>"]
    let script = ["<script>\(Self.script)</script>", "</body>", "</html>"]
    return (lines + script).joined(separator: "\n") + "\n"
  }

  static let style = "\n" + String(decoding: PackageResources.page_css, as: UTF8.self)
  /// The script, in CDATA so that an XML parser does not read it as markup.
  static let script =
    "//<![CDATA[\n" + String(decoding: PackageResources.page_js, as: UTF8.self) + "//]]>"

  /// The Content-Security-Policy, which allows only the style and the script of the page.
  package static let policy =
    "default-src 'none'; style-src '\(ContentHash.source(of: style))'; "
    + "script-src '\(ContentHash.source(of: script))'; base-uri 'none'; form-action 'none'"

  private static func head(_ title: String) -> [String] {
    [
      "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\"/>",
      "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\"/>",
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>",
      "<meta name=\"referrer\" content=\"no-referrer\"/>", "<title>\(title)</title>",
      "<style>\(style)</style>", "</head>", "<body>", PageMarkup.hatch,
    ]
  }
}

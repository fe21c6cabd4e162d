// Complete runs as one page for a browser.
//
// It decides what is on the page, and in which order; how that is written as markup is in
// PageMarkup, how it looks and what it does in Files.

import Bluetooth

/// One HTML file: failures first, then the devices and the steps and values of each over a time axis.
///
/// It loads nothing. Its own script and style are allowed by their hashes, everything else is
/// forbidden by its Content-Security-Policy. It is readable without the script, which sorts,
/// filters and moves a cursor. The page is well-formed XML, too.
public struct HTMLReport: RunsReport {
  /// A report without settings.
  public init() {}

  /// A page shows values.
  public var showsValues: Bool { true }

  public func text(on runs: [RecordedRun], of whole: RecordedWhole?) -> String {
    var page = ReportPage(runs, whole)
    let title = PageMarkup.text(whole?.name ?? runs.first?.start.chain ?? "blerun")
    let lines =
      Self.head(title) + ["<header>", "<h1>\(title)</h1>"] + page.summary + ["</header>", "<main>"]
      + page.failures + page.overview + page.sections + ["</main>"]
    let script = ["<script>\(Self.script)</script>", "</body>", "</html>"]
    return (lines + script).joined(separator: "\n") + "\n"
  }

  static let style = "\n" + String(decoding: PackageResources.page_css, as: UTF8.self)
  /// In CDATA, because a script in XML must not be read as markup.
  static let script =
    "//<![CDATA[\n" + String(decoding: PackageResources.page_js, as: UTF8.self) + "//]]>"

  /// The Content-Security-Policy: a browser may only apply the style and run the script of the page.
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

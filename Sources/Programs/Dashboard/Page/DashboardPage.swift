// The files of the page, which are built into the program.

import Reports
import WebServer

/// The responses with the page and the files it loads.
enum DashboardPage {
  static let index = WebResponse.file(PackageResources.index_html, "text/html; charset=utf-8")
  static let style = WebResponse.file(PackageResources.style_css, "text/css; charset=utf-8")
  static let script = WebResponse.file(PackageResources.app_js, "text/javascript; charset=utf-8")
  static let chart = WebResponse.file(PackageResources.chart_js, "text/javascript; charset=utf-8")

  static let login = page(remark: "")
  static let wrongToken = page(
    remark: "<p class=\"problem\" role=\"alert\">That is not the token.</p>"
  )

  private static func page(remark: String) -> String {
    String(decoding: PackageResources.login_html, as: UTF8.self)
      .replacing("<!-- remark -->", with: remark)
  }

  /// Returns the page of a run. It has its own Content-Security-Policy, which allows its inline script and
  /// style by their hashes.
  static func report(_ page: String) -> WebResponse {
    var response = WebResponse.page(page)
    response.headers.append(.init("Content-Security-Policy", HTMLReport.policy))
    return response
  }
}

// The default login page, with a form for the token.

/// The login page of a server whose user provides none.
package enum LoginPage {
  /// A form, without style.
  package static let plain: @Sendable (_ isRetry: Bool) -> WebResponse = { isRetry in
    .page(
      """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>Log in</title>
      <h1>Log in</h1>
      \(isRetry ? "<p role=\"alert\">Wrong token.</p>" : "")
      <form method="post" action="/login">
      <p><label>Token <input name="token" type="password" autocomplete="current-password" \
      autofocus required></label>
      <p><button>Log in</button>
      </form>
      </html>

      """
    )
  }
}

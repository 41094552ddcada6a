/** Names that notify everyone, which chat.update recognises in plain text too. */
const everybody = /@(?=here|channel|everyone|group)/gi
const wordJoiner = '\u2060'

/** Escapes text for Slack's markup (https://docs.slack.dev/messaging/formatting-message-text#escaping). */
export function escapeText(text: string): string {
  return text
    .replaceAll(everybody, `@${wordJoiner}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

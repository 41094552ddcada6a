/** Names that tell everybody, which chat.update finds in bare text too. */
const everybody = /@(?=here|channel|everyone|group)/gi
const wordJoiner = '\u2060'

/** Text that Slack's own markup cannot be in (https://docs.slack.dev/messaging/formatting-message-text#escaping). */
export function escapeText(text: string): string {
  return text
    .replaceAll(everybody, `@${wordJoiner}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

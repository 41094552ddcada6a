/** `<@U1>`, `<#C1|general>`, `<!here>`, `<https://example.com|words>`; angle brackets do not nest. */
const reference = /<([@#!]?)([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>/g

/**
 * Converts Slack's markup to the text that the person wrote (https://docs.slack.dev/messaging/formatting-message-text):
 * references as displayed, entities decoded, and mentions of the bot removed.
 */
export function fromMarkup(text: string, ownUserId: string): string {
  return text
    .replaceAll(reference, (_all, sign: string, target: string, label?: string) =>
      sign === '@' && target === ownUserId ? '' : read(sign, target, label ?? ''),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim()
}

function read(sign: string, target: string, label: string): string {
  if (sign === '@') return `@${label || target}`
  if (sign === '#') return `#${label || target}`
  if (sign === '!') return label || `@${target.split('^', 1)[0] ?? target}`
  const address = target.replace(/^mailto:/, '')
  return label === '' || label === address ? address : `${label} (${address})`
}

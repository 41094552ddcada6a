const maxUnits = 4_096
const token = /<(\/?)([a-z]+)(?: (?:href|class)="([^"]*)"| (expandable))?>|[^<]+/g
const wordJoiner = '\u2060'

interface Style {
  /** Starts every line of code, so that code cannot pass for text of the product. */
  readonly margin: string
  /** Replace `@` and `/` where they would start a mention or a command. */
  readonly at: string
  readonly slash: string
}

const readableStyle: Style = { margin: '│ ', at: `@${wordJoiner}`, slash: `/${wordJoiner}` }
const shortStyle: Style = { margin: '', at: '＠', slash: '／' }

/**
 * Converts a message to plain text, for the case that Telegram refuses to parse it (CHAT-05). Never longer than a message may
 * be. Mentions and commands that were inert as code stay inert.
 */
export function toPlain(html: string): string {
  const text = unstyled(html, readableStyle)
  return text.length <= maxUnits ? text : unstyled(html, shortStyle).slice(0, maxUnits)
}

function unstyled(html: string, style: Style): string {
  let text = ''
  let link = { html: '', words: '' }
  const open: string[] = []
  for (const { 0: whole, 1: slash, 2: name, 3: value, 4: folds, index } of html.matchAll(token)) {
    if (name === undefined) {
      if (open.includes('a')) link.words += decode(whole)
      else text += toPlainText(decode(whole), open, style)
    } else if (slash === '') {
      // A folded block of code needs its margin too.
      open.push(folds === undefined ? name : 'pre')
      if (name === 'a') link = { html: value ?? '', words: '' }
    } else {
      open.pop()
      const rest = html.slice(index + whole.length, index + whole.length + link.html.length + 12)
      if (name === 'a') text += withUrl(link, rest, style)
    }
  }
  return text
}

function toPlainText(text: string, open: readonly string[], style: Style): string {
  if (open.includes('pre'))
    return style.margin + toInert(text, style).replaceAll('\n', `\n${style.margin}`)
  return open.includes('code') ? toInert(text, style) : text
}

/** Appends the URL to the text of a link, unless the text is the URL or the URL follows anyway. */
function withUrl(
  link: { readonly html: string; readonly words: string },
  rest: string,
  style: Style,
): string {
  const address = decode(link.html)
  if (link.words === address) return address
  const words = toInert(link.words, style)
  return rest === ` (<a href="${link.html}"` ? words : `${words} (${address})`
}

function toInert(text: string, { at, slash }: Style): string {
  return text
    .replaceAll(/(?<![A-Za-z0-9_])@(?=[A-Za-z0-9_]|$)/g, at)
    .replaceAll(/(?<![A-Za-z0-9_/<>:])\/(?=[A-Za-z0-9_]+(?![A-Za-z0-9_/])|$)/g, slash)
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
}

function decode(html: string): string {
  return html.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => entities[entity] ?? entity)
}

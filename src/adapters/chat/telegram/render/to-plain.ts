const longest = 4_096
const token = /<(\/?)([a-z]+)(?: (?:href|class)="([^"]*)"| (expandable))?>|[^<]+/g
const wordJoiner = '\u2060'

interface Style {
  /** Begins every line of code, so that nothing in it poses as words of ours. */
  readonly margin: string
  /** Stand for `@` and `/` where they would make a mention or a command. */
  readonly at: string
  readonly slash: string
}

const readable: Style = { margin: '│ ', at: `@${wordJoiner}`, slash: `/${wordJoiner}` }
const short: Style = { margin: '', at: '＠', slash: '／' }

/**
 * CHAT-05: the same message without styles, for when Telegram refuses to parse ours. Never longer than a message may be.
 * What was kept from being a mention or command by standing as code is kept from it still.
 */
export function toPlain(html: string): string {
  const text = unstyled(html, readable)
  return text.length <= longest ? text : unstyled(html, short).slice(0, longest)
}

function unstyled(html: string, style: Style): string {
  let text = ''
  let link = { html: '', words: '' }
  const open: string[] = []
  for (const { 0: whole, 1: slash, 2: name, 3: value, 4: folds, index } of html.matchAll(token)) {
    if (name === undefined) {
      if (open.includes('a')) link.words += decode(whole)
      else text += shown(decode(whole), open, style)
    } else if (slash === '') {
      // A block of code that folds needs its margin too.
      open.push(folds === undefined ? name : 'pre')
      if (name === 'a') link = { html: value ?? '', words: '' }
    } else {
      open.pop()
      const rest = html.slice(index + whole.length, index + whole.length + link.html.length + 12)
      if (name === 'a') text += linked(link, rest, style)
    }
  }
  return text
}

function shown(text: string, open: readonly string[], style: Style): string {
  if (open.includes('pre'))
    return style.margin + inert(text, style).replaceAll('\n', `\n${style.margin}`)
  return open.includes('code') ? inert(text, style) : text
}

/** The address stands behind the words, unless they are the address or it is there already. */
function linked(
  link: { readonly html: string; readonly words: string },
  rest: string,
  style: Style,
): string {
  const address = decode(link.html)
  if (link.words === address) return address
  const words = inert(link.words, style)
  return rest === ` (<a href="${link.html}"` ? words : `${words} (${address})`
}

function inert(text: string, { at, slash }: Style): string {
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

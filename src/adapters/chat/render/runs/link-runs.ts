import { toPrintableLine } from '../printable.ts'
import { type Marks, type Run, run, textOf } from './run.ts'

const maxUrl = 2_000
const host = /^[\w-]+(?:\.[\w-]+)+\.?$/
const email = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/
/** Text that a person may take for a URL. */
const looksLikeAddress = /:\/\/|@|[\p{L}\p{N}-]\.\p{L}{2,}/u

/**
 * Runs of a link. Only web URLs become links: `tg:` or `slack:` links could ping a person or control the client. The URL is
 * shown after the text if it is not a link, or if the text looks like a different URL.
 */
export function linkRuns(words: readonly Run[], url: string, marks: Marks): Run[] {
  const shownText = textOf(words)
  if (shownText.trim() === '') return addressRuns(url, marks)
  const href = webAddress(url)
  const address = toPrintableLine(url)
  if (href === undefined) {
    const isShown = shownText === address || `mailto:${shownText}` === address
    return isShown ? [...words] : [...words, ...addressRuns(url, marks)]
  }
  const linked = words.map((piece) => run(piece.text, { ...withoutCode(piece.marks), href }))
  const isMisleading = looksLikeAddress.test(shownText) && !isSameUrl(shownText, href)
  return isMisleading ? [...linked, ...addressRuns(url, marks)] : linked
}

/** ` (URL)`, as a link or, for other schemes, as inert code. */
export function addressRuns(url: string, marks: Marks): Run[] {
  const address = toPrintableLine(url)
  if (address === '') return []
  const mail = address.replace(/^mailto:/i, '')
  const href = webAddress(url)
  const { quote } = marks
  const outer: Marks = quote === true ? { quote } : {}
  if (email.test(mail)) return [run(` (${mail})`, outer)]
  const shown =
    href === undefined ? run(address, { ...outer, code: true }) : run(href, { ...outer, href })
  return [run(' (', outer), shown, run(')', outer)]
}

/** The URL in the form that platforms accept; undefined if they would not. */
function webAddress(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') return undefined
  const isKnown = host.test(parsed.hostname) && parsed.username === '' && parsed.password === ''
  return isKnown && parsed.href.length <= maxUrl ? parsed.href : undefined
}

/** Whether the text is the URL itself, with the host spelled identically. */
function isSameUrl(words: string, href: string): boolean {
  const { host, protocol } = new URL(href)
  const bare = words.trim().replace(/^https?:\/\//i, '')
  const meant = URL.parse(`${protocol}//${bare}`)?.href
  return meant === href && bare.toLowerCase().startsWith(host)
}

function withoutCode({ code, ...marks }: Marks): Marks {
  return marks
}

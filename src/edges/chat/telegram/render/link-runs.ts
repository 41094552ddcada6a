import { toPrintableLine } from '../../render/printable.ts'
import { type Marks, type Run, run, textOf } from './run.ts'

const longest = 2_000
const email = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/
/** Words that a person may take for an address. */
const looksLikeAddress = /:\/\/|@|[\p{L}\p{N}-]\.\p{L}{2,}/u

/**
 * Words that lead somewhere. Only to the web: a `tg:` link pings a person or steers the client, and Telegram drops all
 * else with its address. Where the words do not lead there, or pretend to lead elsewhere, the address stands beside them.
 */
export function linkRuns(words: readonly Run[], url: string, marks: Marks): Run[] {
  const said = textOf(words)
  if (said.trim() === '') return addressRuns(url, marks)
  const href = webAddress(url)
  const address = toPrintableLine(url)
  const isSaid = said === address || said === href || `mailto:${said}` === address
  const shown = isSaid || address === '' ? [] : addressRuns(url, marks)
  if (href === undefined) return [...words, ...shown]
  const linked = words.map((piece) => run(piece.text, { ...withoutCode(piece.marks), href }))
  return looksLikeAddress.test(said) && !leadsTo(said, href) ? [...linked, ...shown] : linked
}

/** ` (address)`, as what it is: a link, or code that Telegram makes nothing of. */
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

/** The address as Telegram takes it; undefined: it would not. */
function webAddress(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') return undefined
  const isKnown = parsed.hostname.includes('.') && parsed.username === '' && parsed.password === ''
  return isKnown && parsed.href.length <= longest ? parsed.href : undefined
}

/** Whether words are the address itself, save for what nobody writes. */
function leadsTo(words: string, href: string): boolean {
  const bare = (text: string): string =>
    text
      .trim()
      .toLowerCase()
      .replace(/^https?:\/\//, '')
      .replace(/\/$/, '')
  return bare(words) === bare(href)
}

function withoutCode({ code, ...marks }: Marks): Marks {
  return marks
}

import { toPrintableLine } from '../printable.ts'
import { type Marks, type Run, run, textOf } from './run.ts'

const longest = 2_000
const host = /^[\w-]+(?:\.[\w-]+)+\.?$/
const email = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/
/** Words that a person may take for an address. */
const looksLikeAddress = /:\/\/|@|[\p{L}\p{N}-]\.\p{L}{2,}/u

/**
 * Words that lead somewhere. Only to the web: a `tg:` or `slack:` link pings a person or steers the client, and all else is
 * dropped with its address. Where the words do not lead there, or pretend to lead elsewhere, the address stands beside them.
 */
export function linkRuns(words: readonly Run[], url: string, marks: Marks): Run[] {
  const said = textOf(words)
  if (said.trim() === '') return addressRuns(url, marks)
  const href = webAddress(url)
  const address = toPrintableLine(url)
  if (href === undefined) {
    const isSaid = said === address || `mailto:${said}` === address
    return isSaid ? [...words] : [...words, ...addressRuns(url, marks)]
  }
  const linked = words.map((piece) => run(piece.text, { ...withoutCode(piece.marks), href }))
  const pretends = looksLikeAddress.test(said) && !leadsTo(said, href)
  return pretends ? [...linked, ...addressRuns(url, marks)] : linked
}

/** ` (address)`, as what it is: a link, or code that no client makes anything of. */
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

/** The address as platforms take it; undefined: they would not. */
function webAddress(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') return undefined
  const isKnown = host.test(parsed.hostname) && parsed.username === '' && parsed.password === ''
  return isKnown && parsed.href.length <= longest ? parsed.href : undefined
}

/** Whether words are the address itself, its host in the very letters that it has. */
function leadsTo(words: string, href: string): boolean {
  const { host, protocol } = new URL(href)
  const bare = words.trim().replace(/^https?:\/\//i, '')
  const meant = URL.parse(`${protocol}//${bare}`)?.href
  return meant === href && bare.toLowerCase().startsWith(host)
}

function withoutCode({ code, ...marks }: Marks): Marks {
  return marks
}

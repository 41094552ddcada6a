/** What `countersign pair` makes codes of: Crockford's base 32, 5 bits a symbol, https://www.crockford.com/base32.html. */
export const codeAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 65 bits; some 1.5 less, since every code looks like one. */
export const codeLength = 13

/** A message that is about pairing and nothing else. */
export type PairingText =
  | CodeText
  /** `/pair` or `/link` with something that cannot be a code, or with one among other words: that is not tried. */
  | { readonly kind: 'garbled'; readonly symbols?: string }

/** `symbols` is what was hashed when the code was made. */
export interface CodeText {
  readonly kind: 'code'
  readonly symbols: string
  /** Written after `/link`: a wish to be linked, or a `yes` behind the code to what was asked then. */
  readonly link?: 'wish' | 'yes'
}

const longestText = 200
const addressees = /^(?:@\w{1,64}[,:]?\s+)+|(?:\s+@\w{1,64})+$/g
const command = /^\/(?:pair(?:@\w{1,64})?|start(?:@\w{1,64})?(?=\s)|link(?:@\w{1,64})?(?=[\s:]))/i
const quotes = /^["'`“”‘’„«»<(]+|["'`“”‘’„«»>).,!]+$/g
const consent = /[^a-z0-9]yes[^a-z0-9]*$/i
const gap = String.raw`[\s\-\u2010-\u2015\u2212]{1,5}`
const groups = `([a-z0-9]{4})${gap}([a-z0-9]{4})${gap}([a-z0-9]{5})`
const grouped = new RegExp(`^${groups}$`, 'i')
const within = new RegExp(`(?<![a-z0-9])(?:${groups}|([a-z0-9]{13}))(?![a-z0-9])`, 'i')

/**
 * A whole message as an attempt to pair; undefined for every other message. Case and what stands between symbols do not
 * matter, and look-alikes are read as digits. After `/pair`, `/link` or `/start` any 13 symbols are a code. Without a command they
 * must stand in their groups and look like a code, so that no ordinary message is taken for one: `that-went-great` is
 * 13 symbols in such groups too.
 */
export function parsePairing(text: string): PairingText | undefined {
  if (text.length > longestText) return undefined
  const words = text.trim().replaceAll(addressees, '')
  const [name] = command.exec(words) ?? []
  if (name === undefined) return parseBare(words)
  if (/^\/link/i.test(name)) return parseLink(words.slice(name.length))
  const rest = words.slice(name.length)
  const symbols = toSymbols(rest)
  if (symbols !== undefined) return { kind: 'code', symbols }
  return /^\/pair/i.test(name) ? garbled(rest) : undefined
}

/** Symbols as people are shown them: `XXXX-XXXX-XXXXX`. */
export function groupCode(symbols: string): string {
  return `${symbols.slice(0, 4)}-${symbols.slice(4, 8)}-${symbols.slice(8)}`
}

/** Whether each group has a letter and a digit from 2 on: words and numbers have not, nor has a word with an O or l for 0 or 1. */
export function looksLikeCode(symbols: string): boolean {
  const groups = groupCode(symbols).split('-')
  return groups.every((group) => /[2-9]/.test(group) && /[A-Z]/.test(group))
}

function parseLink(text: string): PairingText {
  const whole = toSymbols(text)
  if (whole !== undefined) return { kind: 'code', symbols: whole, link: 'wish' }
  const agreed = toSymbols(beforeConsent(text))
  if (agreed !== undefined) return { kind: 'code', symbols: agreed, link: 'yes' }
  return garbled(text)
}

/** What stands before a `yes` at the end; nothing where there is none. */
function beforeConsent(text: string): string {
  const before = text.replace(consent, '')
  return before === text ? '' : before
}

function garbled(text: string): PairingText {
  const [found = ''] = within.exec(text) ?? []
  const symbols = toSymbols(found)
  return symbols === undefined ? { kind: 'garbled' } : { kind: 'garbled', symbols }
}

function parseBare(text: string): PairingText | undefined {
  const symbols = bareSymbols(text)
  if (symbols !== undefined) return { kind: 'code', symbols }
  const agreed = bareSymbols(beforeConsent(text))
  return agreed === undefined ? undefined : { kind: 'code', symbols: agreed, link: 'yes' }
}

function bareSymbols(text: string): string | undefined {
  const [, ...parts] = grouped.exec(text.replaceAll(quotes, '')) ?? []
  const symbols = toSymbols(parts.join(''))
  return symbols !== undefined && looksLikeCode(symbols) ? symbols : undefined
}

function toSymbols(text: string): string | undefined {
  const signs = text.replaceAll(/[^a-z0-9]/gi, '').toUpperCase()
  const symbols = signs.replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return isCode.test(symbols) ? symbols : undefined
}

const isCode = new RegExp(`^[${codeAlphabet}]{${codeLength}}$`)

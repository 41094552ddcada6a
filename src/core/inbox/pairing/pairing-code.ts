import { randomSymbols } from '../../../util/ids.ts'

/** Alphabet of `countersign pair`: Crockford's base 32, 5 bits a symbol, https://www.crockford.com/base32.html. */
export const codeAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Symbols in a code: 65 bits, less about 1.5 because of the required shape. */
export const codeLength = 13

/** Message about pairing only. */
export type PairingText =
  | CodeText
  /** `/pair` or `/link` with an invalid code, or with a code among other words, which is not tried. */
  | { readonly kind: 'garbled'; readonly symbols?: string }

/** `symbols` is the text that was hashed when the code was made. */
export interface CodeText {
  readonly kind: 'code'
  readonly symbols: string
  /** Sent after `/link`: a request to link, or a `yes` after the code to confirm it. */
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
 * Parses a whole message as a pairing attempt; undefined for others. Ignores case and separators and reads look-alikes as digits.
 * After `/pair`, `/link` or `/start` any 13 symbols are a code. Without a command they must be grouped and have the shape of a
 * code, so that no ordinary message matches: `that-went-great` has 13 symbols in such groups too.
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

/** Formats symbols for people: `XXXX-XXXX-XXXXX`. */
export function groupCode(symbols: string): string {
  return `${symbols.slice(0, 4)}-${symbols.slice(4, 8)}-${symbols.slice(8)}`
}

/** Whether each group has a letter and a digit of 2 or more, unlike words and numbers, even with O or l read as 0 or 1. */
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

/** Returns the text before a final `yes`; empty without one. */
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

/** Draws a new one-time code, repeatedly until it has the shape of one, which every third has. */
export function drawCode(): string {
  for (;;) {
    const symbols = randomSymbols(codeAlphabet, codeLength)
    if (looksLikeCode(symbols)) return symbols
  }
}

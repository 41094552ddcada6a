import type { Redactor } from './create-redactor.ts'
import { redactionMark } from './redaction-mark.ts'
import type { SecretSpan } from './secret-shapes.ts'
import { manifestValues } from './secrets/manifest-values.ts'

/** How much of what was already shown is looked at again, in UTF-16 units. */
const overlap = 4096
/** A piece of a secret shorter than this tells nothing. */
const harmless = 8
/** A snapshot this long may begin in the middle of a line. */
const longSnapshot = 1000

/** Redacts the last lines of a running command, again and again while they grow (threat 14). */
export interface LiveRedactor {
  /** Takes the last lines printed so far, sanitised; gives back what of them may be shown now. */
  show(lastLines: string): string
}

/**
 * Each view is looked at together with the 4 KB before it, so that a secret is known although its beginning has
 * scrolled away. The word still being printed is held back, since half a token does not look like one; long base64
 * runs are always hidden, since the first line of a key may never have been seen.
 */
export function createLiveRedactor(redactor: Redactor): LiveRedactor {
  let seen = ''
  return {
    show(lastLines) {
      const known = commonPart(seen, lastLines)
      const window = seen + lastLines.slice(known)
      const from = window.length - lastLines.length
      const cutStart = known === 0 && lastLines.length >= longSnapshot
      seen = window.slice(-overlap)
      const start = cutStart ? from + leadingWord(lastLines) : from
      const end = window.length - trailingWord(lastLines)
      const spans = [...redactor.find(window), ...findBase64(window), ...findManifestData(window)]
      return replaceWithin(window, start, end, spans)
    },
  }
}

/** Length of the longest beginning of `next` with which `seen` ends, in linear time (Knuth, Morris, Pratt). */
function commonPart(seen: string, next: string): number {
  const text = `${next}\0${seen.slice(-next.length)}`
  const borders = new Uint32Array(text.length)
  for (let at = 1; at < text.length; at += 1) {
    let border = borders[at - 1] ?? 0
    while (border > 0 && text[at] !== text[border]) border = borders[border - 1] ?? 0
    borders[at] = text[at] === text[border] ? border + 1 : 0
  }
  return borders.at(-1) ?? 0
}

function leadingWord(text: string): number {
  const end = text.search(/\s/)
  return end === -1 ? text.length : end
}

function trailingWord(text: string): number {
  let from = text.length
  while (from > 0 && !/\s/.test(text[from - 1] ?? '')) from -= 1
  const length = text.length - from
  return length < harmless ? 0 : length
}

function findBase64(text: string): SecretSpan[] {
  return [...text.matchAll(/[A-Za-z0-9+/=]{60,}/g)]
    .filter(([run]) => /[a-z]/.test(run) && /[A-Z]/.test(run))
    .map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      kind: 'base64',
    }))
}

/** That a manifest is of a Secret is said only below its data. */
function findManifestData(text: string): SecretSpan[] {
  return manifestValues(text).filter(({ start, end }) =>
    /^(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{2,3}={1,2})?$/.test(text.slice(start, end)),
  )
}

function replaceWithin(
  text: string,
  from: number,
  to: number,
  spans: readonly SecretSpan[],
): string {
  const parts: string[] = []
  let done = from
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    if (span.end <= done || span.start >= to) continue
    parts.push(text.slice(done, Math.max(done, span.start)), redactionMark(span.kind))
    done = Math.min(span.end, to)
  }
  return `${parts.join('')}${text.slice(done, Math.max(done, to))}`
}

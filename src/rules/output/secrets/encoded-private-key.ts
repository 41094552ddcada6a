import { lineEnd, lineMark } from './line-forms.ts'
import { runEnd } from './run-end.ts'
import type { SecretRule } from './secret-rule.ts'

/** `-----BEGIN `, as far as what follows does not change it. */
const begin = 'LS0tLS1CRUdJTi'
const outside = /[^A-Za-z0-9+/]/g
/** `base64` breaks its lines there. */
const widths: ReadonlySet<number> = new Set([64, 76])
const nextLine = new RegExp(String.raw`${lineEnd}${lineMark}[ \t]{0,40}(?=[A-Za-z0-9+/])`, 'y')

/** Files in base64 of which one is a private key in PEM: as Kubernetes keeps them, or `base64 key.pem` prints them. */
export const encodedPrivateKey: SecretRule = {
  keywords: [begin],
  find(text, at, from) {
    if (at < from) return undefined
    const { end, content } = encodedAt(text, at)
    if (!isPrivate(content)) return { spans: [], end }
    return { spans: [{ start: at, end, kind: 'private-key' }], end }
  },
}

function isPrivate(content: string): boolean {
  return Buffer.from(content, 'base64').includes('PRIVATE KEY')
}

/** The text in one line, or in lines of which only the last is shorter. */
function encodedAt(text: string, at: number): { readonly end: number; readonly content: string } {
  let end = runEnd(text, at, outside)
  const width = end - at
  const lines = [text.slice(at, end)]
  for (let isFull = widths.has(width); isFull; ) {
    nextLine.lastIndex = end
    const gap = nextLine.exec(text)?.[0].length ?? 0
    if (gap === 0) break
    const next = runEnd(text, end + gap, outside)
    if (next - end - gap > width) break
    lines.push(text.slice(end + gap, next))
    isFull = next - end - gap === width
    end = next
  }
  return { end: runEnd(text, end, /[^=]/g), content: lines.join('') }
}

import type { SecretSpan } from '../secret-shapes.ts'
import { isPasswordPlaceholder } from './assigned-secret.ts'
import { lineEnd, lineMark } from './line-forms.ts'

const quote = String.raw`\\{0,4}"?`
const data = `${quote}(?:stringData|data)${quote}`
const key = '[A-Za-z0-9_.-]{1,253}'
/** Header of entries on separate lines, or in braces on one line. */
const header = new RegExp(
  [
    String.raw`(?<=^|\n|\\n|["'])${lineMark}(?<indent>[ \t]*)(?:- )?${data}:[ \t]*\{?[ \t]*(?<lineEnd>${lineEnd})`,
    String.raw`${data}[ \t]{0,4}:[ \t]{0,4}\{(?=[ \t]{0,4}[\\"'A-Za-z0-9_.-])`,
  ].join('|'),
  'g',
)

/** Finds the values below `data` and `stringData` of a manifest of any kind. */
export function manifestValues(manifest: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  let done = 0
  for (const match of manifest.matchAll(header)) {
    if (match.index < done) continue
    const { indent, lineEnd: end } = match.groups ?? {}
    const from = match.index + match[0].length
    const found =
      indent === undefined || end === undefined
        ? pairsFrom(manifest, from)
        : entriesFrom(manifest, from, indent.length, end)
    spans.push(...found)
    done = found.at(-1)?.end ?? from
  }
  return spans.filter(({ start, end }) => isValue(manifest.slice(start, end)))
}

const minValue = 4

function isValue(value: string): boolean {
  return value.length >= minValue && !isPasswordPlaceholder(value)
}

const pair = new RegExp(
  [
    String.raw`[ \t,]{0,8}(?<open>\\{0,4}"|')?${key}(?:\\{0,4}"|')?[ \t]{0,4}:[ \t]{0,4}`,
    String.raw`(?:(?<close>\\{0,4}"|')(?<quoted>[^\r\n]*?)(?<!\\)\k<close>|(?<plain>[^\s,{}"'\\]+))`,
  ].join(''),
  'dy',
)

/** Entries of `{"a":"…","b":"…"}`, possibly escaped. */
function pairsFrom(text: string, from: number): SecretSpan[] {
  const spans: SecretSpan[] = []
  pair.lastIndex = from
  for (let match = pair.exec(text); match !== null; match = pair.exec(text)) {
    const groups = match.indices?.groups
    const [start, end] = groups?.['quoted'] ?? groups?.['plain'] ?? [0, 0]
    spans.push(spanOf(start, end))
  }
  return spans
}

const linePattern = new RegExp(`^${lineMark}(?<indent>[ \\t]*)(?<content>.*?)[ \\t\\r]*$`, 's')
const entry = new RegExp(String.raw`^\\{0,4}["']?${key}\\{0,4}["']?:[ \t]*(?<value>.*)$`, 's')
const quoted = /^(?<open>\\{0,4}"|')(?<inner>.*?)(?:\\{0,4}["'])?,?$/s

/** Entries on lines indented deeper than their header: inline values, and blocks below their name. */
function entriesFrom(text: string, from: number, indent: number, lineEnd: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  // In text that was JSON-escaped, all lines end as the header's line does.
  const separator = lineEnd.includes('\n') ? '\n' : lineEnd.replace(/^\\+r/, '')
  let entryIndent: number | undefined
  for (let at = from; at < text.length; ) {
    const found = text.indexOf(separator, at)
    const stop = found === -1 ? text.length : found
    const line = linePattern.exec(text.slice(at, stop).replace(/\\+r$/, ''))?.groups
    const { content = '', indent: own = '' } = line ?? {}
    if (content !== '') {
      if (own.length <= indent) break
      const start = at + text.slice(at, stop).indexOf(content, own.length)
      if (entryIndent !== undefined && own.length > entryIndent) extend(spans, start, content)
      else spans.push(valueSpan(start, content))
      entryIndent = Math.min(own.length, entryIndent ?? own.length)
    }
    at = stop + separator.length
  }
  return spans
}

/** Extends the last value by a line of its block. */
function extend(spans: SecretSpan[], start: number, content: string): void {
  const last = spans.pop()
  if (last === undefined) return
  const isIndicator = last.end - last.start < minValue
  spans.push(spanOf(isIndicator ? start : last.start, start + content.length))
}

function valueSpan(start: number, content: string): SecretSpan {
  const value = entry.exec(content)?.groups?.['value'] ?? ''
  const from = start + content.length - value.length
  const { open = '', inner } = quoted.exec(value)?.groups ?? {}
  if (inner !== undefined) return spanOf(from + open.length, from + open.length + inner.length)
  // A block indicator is not a value.
  return /^[|>][-+0-9]{0,2}(?:[ \t]+#.*)?$/.test(value)
    ? spanOf(from, from)
    : spanOf(from, from + value.length)
}

function spanOf(start: number, end: number): SecretSpan {
  return { start, end, kind: 'kubernetes-secret' }
}

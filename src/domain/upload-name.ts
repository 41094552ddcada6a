import { orderNames } from './order-names.ts'

/** Of a name in bytes of UTF-8: file systems take 255. */
const longestBytes = 200
/** With the number that tells it from others of its name. */
const longestNumberedBytes = 210
const longestExtensionBytes = 24
/** Nobody gives a file a longer one in earnest. */
const mostRead = 4_000

/** What no name holds: controls, marks of direction and other invisible characters, lone surrogates, what is not assigned. */
const invisible =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u{115F}\u{1160}\u{3164}\u{FFA0}]|[\u{FE00}-\u{FE0F}]|[\u{E0100}-\u{E01EF}]/gu
const blanks = /[\p{Z}\u{2800}]+/gu
/** Separators, what Windows refuses, and what a shell reads also between double quotes. */
const separating = /[/\\:*?"<>|`$]/gu
const looksLikeSeparator = /[\u{2044}\u{2215}\u{29F8}\u{FF0F}\u{FF3C}\u{2216}\u{29F5}\u{FE68}]/gu
/** Names of devices, whatever follows the first dot: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])(?=$|[ .])/iu

/**
 * CHAT-07: a name for a file in a workspace, from whatever its sender called it: one segment of a path, of at most 200 bytes, visible, no
 * option of a command, hidden file, device, or file that gives orders: `.env` is `dot.env`, `AGENTS.md` is `_AGENTS.md`. What is left empty is `file`.
 */
export function toUploadName(given: string): string {
  return nameWithin(given, longestBytes)
}

/** Whether a text is a name as `toUploadName` makes them, be it with a number, so that it is safe wherever it came from. */
export function isUploadName(name: string): boolean {
  return name !== '' && nameWithin(name, longestNumberedBytes) === name
}

function nameWithin(given: string, bytes: number): string {
  const shown = given
    .slice(0, mostRead)
    .normalize('NFC')
    .replace(invisible, '')
    .replace(separating, '_')
    .replace(looksLikeSeparator, '_')
    .replace(blanks, ' ')
    .normalize('NFC')
  const name = fitting(shown, bytes)
  if (name === '') return 'file'
  const isSpecial = device.test(name) || orderNames.test(name.normalize('NFKC').toLowerCase())
  return isSpecial ? fitting(`_${name}`, bytes) : name
}

function fitting(name: string, bytes: number): string {
  return withoutEdges(withinBytes(withoutEdges(name), bytes))
}

/** Leading dots hide a file, and become a word; a dash makes it an option, `~` a home; Windows drops dots and blanks at the end. */
function withoutEdges(name: string): string {
  let from = 0
  let to = name.length
  while (from < to && ' .-~'.includes(name.charAt(from))) from += 1
  while (to > from && ' .'.includes(name.charAt(to - 1))) to -= 1
  const [edge, rest] = [name.slice(0, from), name.slice(from, to)]
  return isHidden(edge, rest) ? `dot.${rest}` : rest
}

/** `..` before what was a separator leads upwards, and hides nothing. */
function isHidden(edge: string, rest: string): boolean {
  if (rest === '' || (edge.endsWith('..') && rest.startsWith('_'))) return false
  return edge.includes('.')
}

function withinBytes(name: string, bytes: number): string {
  if (Buffer.byteLength(name) <= bytes) return name
  const { stem, extension } = splitName(name)
  const room = bytes - Buffer.byteLength(extension)
  return `${cutBytes(stem, room)}${extension}`
}

function splitName(name: string): { readonly stem: string; readonly extension: string } {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 ? name.slice(dot) : ''
  if (extension === '' || Buffer.byteLength(extension) > longestExtensionBytes) {
    return { stem: name, extension: '' }
  }
  return { stem: name.slice(0, dot), extension }
}

function cutBytes(text: string, room: number): string {
  let bytes = 0
  let kept = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > room) break
    kept += character
  }
  return kept
}
